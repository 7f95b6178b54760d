import cliProgress from "cli-progress";
import colors from "picocolors";
import type { Client, RequestRecord } from "./demo-client.js";

/** Shows the progress of Requests by their events, and resolves when all have ended. Throws when a Request failed. */
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
    const bar = isTerminal ? bars.create(100, 0, { type, state: "accepted" }) : undefined;
    let lastState = "";
    let objects = 0;
    let request = opened;
    for await (const event of client.events(opened.id)) {
      if (event.type === "request.message") objects++;
      request = event.record;
      const state = describe(request, objects);
      bar?.update(request.percent, { type, state });
      if (!isTerminal && state !== lastState) console.log(`  ${type} ${state}`);
      lastState = state;
    }
    return request;
  };
  const ended = await Promise.all(requests.map(show)).finally(() => bars.stop());
  const failed = ended.find(({ successful }) => !successful);
  if (failed) throw new Error(failed.request_status ?? `${failed.type} failed`);
  return ended;
}

function describe({ state, stage, finished_at, successful }: RequestRecord, objects: number): string {
  const count = objects > 0 ? `, ${objects} objects in AWS` : "";
  if (!finished_at) return `${stage ?? "accepted"}${count}`;
  return `${successful ? colors.green(state) : colors.red(state)} in stage ${stage}${count}`;
}
