import type { Check } from "@gantry/client";
import { CommandError, EXIT } from "../exit-codes.js";
import { print } from "../print.js";
import type { Session } from "../session.js";

/** Prints the report of a check. Throws CommandError with exit code 1 if something would fail. */
export async function showChecks(session: Session, request: string, more: object = {}): Promise<void> {
  const { body } = await session.gantry.call("GET", `/requests/${request}/checks`);
  const { checks } = body as { checks: Check[] };
  await print(session, {
    document: { ...more, checks },
    rows: checks,
    columns: ["check", "region", "result", "reason", "remedy"],
    isWhole: true,
    empty: "No checks: the request is of another type, or has not begun.",
  });
  const failing = checks.filter(({ result }) => result === "fails");
  if (failing.length > 0) throw new CommandError(`${failing.length} of ${checks.length} checks fail`, EXIT.failed);
}
