import cliProgress from "cli-progress";
import colors from "picocolors";
import type { Client, RequestRecord } from "./demo-client.js";

/** The resolution of a stage's progress. */
const STEPS_PER_STAGE = 10;

/** Shows the progress of Requests by their stages, and resolves when all have ended. Throws when a Request failed. */
export async function follow(client: Client, requests: RequestRecord[]): Promise<RequestRecord[]> {
  const isTerminal = process.stdout.isTTY;
  const bars = new cliProgress.MultiBar({
    format: `  {type} ${colors.cyan("{bar}")} {state}`,
    barCompleteChar: "█",
    barIncompleteChar: "░",
    barsize: 24,
    hideCursor: true,
    forceRedraw: true,
    noTTYOutput: false,
    linewrap: false,
  });
  const longest = Math.max(...requests.map(({ type }) => type.length));
  const show = async (opened: RequestRecord): Promise<RequestRecord> => {
    const type = opened.type.padEnd(longest);
    const bar = isTerminal ? bars.create(STEPS_PER_STAGE, 0, { type, state: "accepted" }) : undefined;
    let lastState = "";
    for (;;) {
      const { request, stages, messages } = await client.poll(opened.id);
      const { state, share } = progressOf(request, stages, messages);
      bar?.setTotal(Math.max(1, stages.length) * STEPS_PER_STAGE);
      bar?.update(share, { type, state });
      if (!isTerminal && state !== lastState) console.log(`  ${type} ${state}`);
      lastState = state;
      if (request.finished_at) return request;
    }
  };
  const ended = await Promise.all(requests.map(show)).finally(() => bars.stop());
  const failed = ended.find(({ successful }) => !successful);
  if (failed) throw new Error(failed.request_status ?? `${failed.type} failed`);
  return ended;
}

function progressOf(request: RequestRecord, stages: { name: string; state: string }[], messages: string[]) {
  if (request.finished_at) {
    const result = request.successful ? colors.green("finished") : colors.red("failed");
    const state = `${result} in stage ${request.stage}${objectCount(messages)}`;
    return { share: stages.length * STEPS_PER_STAGE, state };
  }
  const finished = stages.filter(({ state }) => state === "finished").length;
  const share = finished * STEPS_PER_STAGE + Math.min(messages.length, STEPS_PER_STAGE - 1);
  return { share, state: `${request.stage ?? "accepted"}${objectCount(messages)}` };
}

function objectCount(messages: string[]): string {
  return messages.length > 0 ? `, ${messages.length} objects in AWS` : "";
}
