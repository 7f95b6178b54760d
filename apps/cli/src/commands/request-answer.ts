import type { Request } from "@gantry/client";
import type { Called } from "../command-table.js";
import { singular } from "../names.js";
import { isForMachines, print } from "../print.js";
import { follow } from "../progress/follow.js";
import type { Session } from "../session.js";
import { textOf } from "../table.js";
import { showChecks } from "./checks.js";
import { isGone, isReplayed, refuseGone } from "./replays.js";

type Kept = Record<string, unknown> | undefined;

/**
 * Follows the Request of an answer to its end, or prints its id with `--no-wait`.
 *
 * @throws RequestFailed; CommandError if it ended earlier, and what it made is gone
 */
export async function showRequest(
  session: Session,
  { facts, noun, verb }: Called,
  { body, response }: { body: unknown; response: Response },
): Promise<void> {
  const { request } = body as { request: Request };
  const { options, terminal } = session;
  const handle = session.gantry.requests.resume<Kept>(request.id);
  if (options.wait === false) {
    if (isForMachines(session)) return print(session, { document: { request } });
    terminal.out.write(`${request.id}\n`);
    return;
  }
  const isOld = isReplayed(session, response) && (await handle.refresh()).record.finished_at !== null;
  const record = isOld ? await handle.done() : await follow(session, handle);
  await handle.refresh();
  const { resource } = handle.record;
  const isRemoval = facts.method === "DELETE";
  if (isOld && !isRemoval && isGone(record)) throw refuseGone(session, { noun, at: handle.record.finished_at });
  const key = typeof resource === "string" ? (resource.split("/").at(-2) ?? "record") : "record";
  const kept = isRemoval ? undefined : record;
  const document = { request: handle.record, ...(kept && { [singular(key).replaceAll(" ", "_")]: record }) };
  const isForPeople = !options.quiet && !isForMachines(session);
  const say = (text: string) => isForPeople && terminal.err.write(`${terminal.style("green", "✓")} ${text}\n`);
  if (isOld) say(`already done at ${handle.record.finished_at} by request ${request.id}`);
  if (facts.id === "checkProvider") return showChecks(session, handle.id, { request: handle.record });
  // After another act than a creation, the steps have said how, and this says what is now true.
  if (verb !== "create") say(stateLine(handle.record, { noun, verb, record: kept }));
  const isShown = options.quiet || verb === "create" || options.columns !== undefined;
  await print(session, { document, record: (isShown && (kept ?? handle.record)) || {}, isChange: true });
}

function stateLine(
  { subject }: Request,
  { noun, verb, record }: Pick<Called, "noun" | "verb"> & { record: Kept },
): string {
  const what = `${singular(noun)} ${textOf(record?.name ?? record?.id ?? subject?.id)}`;
  if (verb === "delete") return `${what} is removed`;
  return typeof record?.state === "string"
    ? `${what} is ${record.state}`
    : `${what}: ${verb.replaceAll("-", " ")} done`;
}
