import type { Plan } from "@gantry/client";
import type { CommandFacts } from "../command-table.js";
import { CommandError, EXIT } from "../exit-codes.js";

/**
 * Refuses a plan that costs more a month than `limit`, or whose cost is not known. Removals, and changes of records that
 * have no plan in AWS, cost nothing.
 *
 * @throws CommandError with the cost
 */
export function assertWithin(limit: number | undefined, { method }: CommandFacts, plan: Plan | undefined): void {
  if (limit === undefined || !plan) return;
  const { creates, removes, estimate, estimate_note: note } = plan;
  if (!estimate) {
    if (creates.length === 0 && (method === "DELETE" || removes.length > 0)) return;
    throw refusal(limit, `its cost is not known${note ? `: ${note}` : ""}`);
  }
  if (!estimate.is_complete) throw refusal(limit, `not everything in it has a price. ${estimate.note}`);
  const { monthly_usd_change: more } = estimate;
  const monthly = more ?? Math.max(estimate.monthly_usd, estimate.max_monthly_usd ?? 0);
  if (monthly <= limit) return;
  throw refusal(limit, `it costs ${more === undefined ? "up to" : "another"} $${monthly.toFixed(2)} a month`);
}

function refusal(limit: number, reason: string): CommandError {
  return new CommandError(
    `this server runs plans up to $${limit} a month (--max-monthly-usd): ${reason}`,
    EXIT.notAllowed,
    ["ask the user to run it with the command"],
  );
}
