import { NotFound } from "@gantry/client";
import type { Called } from "../command-table.js";
import { CommandError, EXIT } from "../exit-codes.js";
import { nouns } from "../generated/nouns.js";
import { singular } from "../names.js";
import { isForMachines } from "../print.js";
import type { Session } from "../session.js";

/** Whether a response is the one that an earlier call with the caller's key got. */
export function isReplayed({ options, terminal }: Session, response: Response): boolean {
  // The client's own keys are repeated only after a lost response.
  const hasKey = options.idempotencyKey ?? options.keyPrefix ?? terminal.env.GANTRY_KEY_PREFIX;
  return Boolean(hasKey) && response.headers.get("Idempotent-Replayed") === "true";
}

/** Whether a record was removed; its row may still be readable. */
export function isGone(record: Record<string, unknown> | undefined): boolean {
  return !record || typeof record.deleted_at === "string" || typeof record.cancelled_at === "string";
}

/**
 * Says that a call was made earlier, if its record was created then.
 *
 * @throws CommandError if the record is gone
 */
export async function refuseReplay(
  session: Session,
  { noun, facts }: Called,
  { body, response }: { body: unknown; response: Response },
): Promise<void> {
  if (!isReplayed(session, response)) return;
  const [, key = ""] = facts.answer.split(":");
  const record = (body as Record<string, Record<string, unknown> | undefined> | undefined)?.[key];
  const show = (await nouns[noun]?.load())?.noun.show;
  const { options, terminal } = session;
  if (facts.method === "POST" && record?.id !== undefined && show?.ids.length === 1) {
    const path = show.path.replace(/\{\w+\}/, encodeURIComponent(String(record.id)));
    if (await isGoneAt(session, path)) throw refuseGone(session, { noun, at: record.created_at });
  }
  if (!options.quiet && !isForMachines(session)) {
    const at = record?.created_at && facts.method === "POST" ? ` at ${record.created_at}` : "";
    terminal.err.write(`${terminal.style("green", "✓")} already done${at}\n`);
  }
}

async function isGoneAt(session: Session, path: string): Promise<boolean> {
  try {
    const { body } = await session.gantry.call("GET", path);
    return isGone(Object.values(body as Record<string, Record<string, unknown>>)[0]);
  } catch (error) {
    if (error instanceof NotFound) return true;
    throw error;
  }
}

/** The error of a call that a key has used up, while what it made is gone. */
export function refuseGone({ options }: Session, { noun, at }: { noun: string; at: unknown }): CommandError {
  const flag = options.idempotencyKey === undefined ? "--key-prefix" : "--idempotency-key";
  return new CommandError(
    `already done${at ? ` at ${at}` : ""}, and the ${singular(noun)} that it made is gone`,
    EXIT.conflict,
    [`another ${flag} makes it again`],
  );
}
