import { type GantryEvent, RequestFailed, type RequestHandle, WaitTimeout } from "@gantry/client";
import { explain, explanationLines } from "../explanation.js";
import { accountOf, idOf } from "../names.js";
import type { Session } from "../session.js";
import { linesThatFit, partOf, textOf } from "./answers.js";

/** Events that `follow_request` shows. */
const SHOWN_EVENTS = 30;
/** Milliseconds that a tool waits at most: hosts give up after a minute. */
const LONGEST_WAIT_MS = 50_000;

/** Waits for the end of a Request, and says how far it is. */
export async function followRequest(
  session: Session,
  text: string,
  waitSeconds: number,
  signal: AbortSignal | undefined,
) {
  const handle = session.gantry.requests.resume(await idOf(session, "requests", text));
  await handle.refresh({ signal });
  const lines: string[] = [];
  if (waitSeconds > 0 && !handle.record.finished_at)
    await ended(
      handle.done({
        timeoutMs: Math.min(waitSeconds * 1000, LONGEST_WAIT_MS),
        signal,
        onEvent: (event) => lines.push(lineOf(event)),
      }),
    );
  return [textOf(handle.record), ...lines.slice(-SHOWN_EVENTS), nextOf(handle)].join("\n");
}

/** Cancels a Request, waits until what it made is removed, and says what is left in AWS. */
export async function cancelRequest(session: Session, text: string, signal: AbortSignal | undefined): Promise<string> {
  const handle = session.gantry.requests.resume(await idOf(session, "requests", text));
  await ended(handle.cancel({ timeoutMs: LONGEST_WAIT_MS, signal }));
  if (!handle.record.finished_at) return `Cancelling: what it made is being removed.\n${nextOf(handle)}`;
  const leaked = await handle.leaked({ signal });
  const left = leaked.map((each) => `left in AWS: ${textOf(each)}`);
  const end = handle.state === "cancelled" ? "Cancelled." : `It had ended already: ${handle.state}.`;
  return [end, ...(left.length > 0 ? left : ["Nothing is left in AWS."])].join("\n");
}

/** What failed, what was tried, what is left in AWS, and what to do. */
export async function explainFailure(session: Session, text: string, cursor: string | undefined): Promise<string> {
  const explanation = await explain(session, text);
  const { request, leaked_resources: leaked } = explanation;
  const next = [
    ...(request.finished_at ? [] : [`follow_request ${request.id}`]),
    ...(leaked.length > 0 ? [`make_plan "requests retry-leaked-resource" ${request.id}`] : []),
    ...(request.state === "failed" ? [`make_plan "requests retry" ${request.id}`] : []),
  ];
  return partOf(explanationLines(explanation, next).join("\n"), cursor);
}

export interface EventsInput {
  after?: string | undefined;
  types?: string[] | undefined;
  account?: string | undefined;
}

/** The events of an account after one of them, oldest first. */
export async function readEvents(session: Session, { after, types, account }: EventsInput): Promise<string> {
  const id = account === undefined ? await accountOf(session) : await idOf(session, "accounts", account);
  const { body } = await session.gantry.call("GET", `/accounts/${id}/events`, {
    query: { after, type: types, limit: 100 },
  });
  const { events, next: last } = body as { events: GantryEvent[]; next: string };
  const { text, next } = linesThatFit(events.map(lineOf));
  const cursor = next === undefined ? last : events[next - 1]?.id;
  return [text || "No events.", `Go on with after ${JSON.stringify(cursor)}`].join("\n");
}

export function lineOf({ id, type, created_at, subject, message, record }: GantryEvent): string {
  const { name, state, stage } = (record ?? {}) as Record<string, unknown>;
  return [created_at, id, type, `${subject.type}/${subject.id}`, name, stage, state, message]
    .filter(Boolean)
    .join("  ");
}

function nextOf({ id, record: { state, finished_at: end } }: RequestHandle): string {
  if (!end) return "It goes on: call follow_request again.";
  return state === "finished" ? "It has ended: get_record shows the record." : `explain_failure ${id} says why.`;
}

/** Waits for a Request whose end the caller reads from its record. */
async function ended(end: Promise<unknown>): Promise<void> {
  try {
    await end;
  } catch (error) {
    if (!(error instanceof WaitTimeout || error instanceof RequestFailed)) throw error;
  }
}
