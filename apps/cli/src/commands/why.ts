import { Command } from "commander";
import { idOf } from "../names.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .description("Explain a request: what failed, what was tried, what is left in AWS, and what to do")
    .argument("<request>", "the id of a request")
    .action(async (text: string, _options: object, command: Command) => why(sessionOf(command), text));

async function why(session: Session, text: string): Promise<void> {
  const { gantry, terminal } = session;
  const handle = await gantry.requests.resume(await idOf(session, "requests", text)).refresh();
  const [stages, children, messages, leaked] = await Promise.all([
    handle.stages().toArray({ max: 100 }),
    handle.children({ state: "failed" }).toArray({ max: 20 }),
    handle.messages().toArray({ max: 100 }),
    handle.leaked(),
  ]);
  const { record: request } = handle;
  const document = {
    request,
    stages,
    failed_children: children,
    messages,
    leaked_resources: leaked,
    next: nextOf(request, leaked.length),
  };
  if (session.options.json || session.options.output === "json" || session.options.output === "yaml")
    return print(session, { document });
  const failed = stages.filter(({ error }) => error);
  const lines = [
    `${terminal.style("bold", request.type.replaceAll("_", " "))}  ${request.state}  ${request.id}`,
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
    ...section(
      "What it made in AWS, and took back",
      messages.map(({ message }) => message),
    ),
    ...section(
      "Left in AWS",
      leaked.map(
        ({ kind, id, region, retry_at }) =>
          `${kind} ${id ?? "without an id"} in ${region}${retry_at ? `, Gantry tries again at ${retry_at}` : ""}`,
      ),
    ),
    ...section("What to do", document.next),
  ];
  if (failed.length === 0 && !request.finished_at) lines.push("It has not ended.");
  terminal.out.write(`${lines.join("\n").trimEnd()}\n`);
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length > 0 ? [title, ...lines.map((line) => `  ${line}`), ""] : [];
}

function nextOf({ id, state }: { id: string; state: string }, leaks: number): string[] {
  const isOver = ["finished", "failed", "cancelled"].includes(state);
  return [
    ...(isOver ? [] : [`gantry requests watch ${id}`, `gantry requests cancel ${id}`]),
    ...(leaks > 0 ? [`gantry requests retry-leaked-resource ${id}`] : []),
    ...(state === "failed" ? [`gantry requests retry ${id}`] : []),
  ];
}
