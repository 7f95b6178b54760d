import { Command } from "commander";
import { type Explanation, explain, explanationLines } from "../explanation.js";
import { waysOn } from "../failures.js";
import { print } from "../print.js";
import type { Session } from "../session.js";
import type { Builder } from "./builder.js";

export const build: Builder = (name, sessionOf) =>
  new Command(name)
    .description("Explain a request: what failed, what was tried, what is left in AWS, and what to do")
    .argument("<request>", "the id of a request")
    .action(async (text: string, _options: object, command: Command) => why(sessionOf(command), text));

async function why(session: Session, text: string): Promise<void> {
  const { terminal } = session;
  const explanation = await explain(session, text);
  const next = nextOf(explanation);
  if (session.options.json || session.options.output === "json" || session.options.output === "yaml")
    return print(session, { document: { ...explanation, next } });
  const [title = "", ...lines] = explanationLines(explanation, next);
  terminal.out.write(`${[terminal.style("bold", title), ...lines].join("\n")}\n`);
}

function nextOf({ request, leaked_resources: leaked }: Explanation): string[] {
  const { id, state, can_retry: canRetry } = request;
  return [
    ...(request.finished_at ? [] : waysOn(request)),
    ...(leaked.length > 0 ? [`gantry requests retry-leaked-resource ${id}`] : []),
    ...(state === "failed" && canRetry ? [`gantry requests retry ${id}`] : []),
  ];
}
