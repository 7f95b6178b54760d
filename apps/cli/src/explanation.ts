import type { LeakedResource, Message, Request, Stage } from "@gantry/client";
import { idOf } from "./names.js";
import type { Session } from "./session.js";

/** What is known about the end of a Request. */
export interface Explanation {
  request: Request;
  stages: Stage[];
  failed_children: Request[];
  messages: Message[];
  leaked_resources: LeakedResource[];
}

/** Reads a Request, its stages, its failed parts, its messages, and what it left in AWS. */
export async function explain(session: Session, text: string): Promise<Explanation> {
  const handle = await session.gantry.requests.resume(await idOf(session, "requests", text)).refresh();
  const [stages, children, messages, leaked] = await Promise.all([
    handle.stages().toArray({ max: 100 }),
    handle.children({ state: "failed" }).toArray({ max: 20 }),
    handle.messages().toArray({ max: 100 }),
    handle.leaked(),
  ]);
  return { request: handle.record, stages, failed_children: children, messages, leaked_resources: leaked };
}

/** An explanation for people and agents; the first line names the Request. */
export function explanationLines(explanation: Explanation, next: readonly string[]): string[] {
  const { request, stages, failed_children: children, messages, leaked_resources: leaked } = explanation;
  const failed = stages.filter(({ error }) => error);
  // The reason of the failure stands in the stages already.
  const reasons = [request.message, "Cancelled", ...failed.map(({ error }) => error)];
  const objects = messages.map(({ message }) => message).filter((message) => !reasons.includes(message));
  const lines = [
    `${request.type.replaceAll("_", " ")}  ${request.state}  ${request.id}`,
    ...(request.message ? [`  ${request.message}`] : []),
    "",
    ...section(
      "Stages",
      stages.map(({ name, state, attempts, error }) =>
        [name, state, attempts > 1 ? `${attempts} attempts` : "", error].filter(Boolean).join("  "),
      ),
    ),
    ...section(
      "Failed in its parts",
      children.map(
        ({ id, type, stage, message }) => `${type.replaceAll("_", " ")} ${id}  ${stage ?? ""}  ${message ?? ""}`,
      ),
    ),
    ...section(request.successful || !request.finished_at ? "What it did" : "What it did, and took back", objects),
    ...section(
      "Left in AWS",
      leaked.map(
        ({ kind, id, region, retry_at }) =>
          `${kind} ${id ?? "without an id"} in ${region}${retry_at ? `, Gantry tries again at ${retry_at}` : ""}`,
      ),
    ),
    ...section("What to do", next),
  ];
  if (failed.length === 0 && !request.finished_at) lines.push("It has not ended.");
  return lines.join("\n").trimEnd().split("\n");
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`), ""] : [];
}
