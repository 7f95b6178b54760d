import cliProgress from "cli-progress";
import colors from "picocolors";
import type { Client, RequestRecord } from "./demo-client.js";

/** What a stage under way counts for at most, in parts of a whole stage. */
const STEPS_PER_STAGE = 10;

/** Shows how Requests go on, stage by stage, and resolves when all have ended; throws where one failed. */
export async function follow(client: Client, requests: RequestRecord[]): Promise<RequestRecord[]> {
  const isWatched = process.stdout.isTTY;
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
    const bar = isWatched ? bars.create(STEPS_PER_STAGE, 0, { type, state: "accepted" }) : undefined;
    let told = "";
    for (;;) {
      const { request, stages, messages } = await client.poll(opened.id);
      const { state, share } = progressOf(request, stages, messages);
      bar?.setTotal(Math.max(1, stages.length) * STEPS_PER_STAGE);
      bar?.update(share, { type, state });
      if (!isWatched && state !== told) console.log(`  ${type} ${state}`);
      told = state;
      if (request.finished_at) return request;
    }
  };
  const ended = await Promise.all(requests.map(show)).finally(() => bars.stop());
  const failed = ended.find(({ successful }) => !successful);
  if (failed) throw new Error(failed.request_status ?? `${failed.type} failed`);
  return ended;
}

function progressOf(request: RequestRecord, stages: { name: string; state: string }[], messages: string[]) {
  const done = stages.filter(({ state }) => state === "finished").length;
  const share = request.finished_at
    ? stages.length * STEPS_PER_STAGE
    : done * STEPS_PER_STAGE + Math.min(messages.length, STEPS_PER_STAGE - 1);
  if (request.finished_at) {
    const word = request.successful ? colors.green("finished") : colors.red("failed");
    return { share, state: `${word} in stage ${request.stage}${objectCount(messages)}` };
  }
  return { share, state: `${request.stage ?? "accepted"}${objectCount(messages)}` };
}

function objectCount(messages: string[]): string {
  return messages.length > 0 ? `, ${messages.length} objects in AWS` : "";
}
