import { RequestFailed, type RequestHandle } from "@gantry/client";
import cliProgress from "cli-progress";
import colors from "picocolors";

/**
 * Shows the progress of Requests by their events, and returns their records when all have ended.
 *
 * @param signal ends the waiting, not the work
 * @throws Error if a Request failed, or the reason of `signal`
 */
export async function follow<const Records extends readonly unknown[]>(
  requests: { readonly [Index in keyof Records]: RequestHandle<Records[Index]> },
  signal?: AbortSignal,
): Promise<Records> {
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
  const longest = Math.max(...requests.map(({ record }) => record.type.length));
  const show = async (request: RequestHandle): Promise<unknown> => {
    const type = request.record.type.padEnd(longest);
    const bar = isTerminal ? bars.create(100, 0, { type, state: "accepted" }) : undefined;
    let lastState = "";
    let messages = 0;
    const onEvent = (event: { type: string }) => {
      if (event.type === "request.message") messages++;
      const state = describe(request, messages);
      bar?.update(request.record.percent, { type, state });
      if (!isTerminal && state !== lastState) console.log(`  ${type} ${state}`);
      lastState = state;
    };
    return request.done({ onEvent, signal });
  };
  const ends = await Promise.allSettled(requests.map(show)).finally(() => bars.stop());
  const failed = ends.find((end) => end.status === "rejected");
  if (failed) throw failed.reason instanceof RequestFailed ? new Error(sentenceOf(failed.reason)) : failed.reason;
  return ends.map((end) => (end.status === "fulfilled" ? end.value : undefined)) as unknown as Records;
}

function sentenceOf({ request, message }: RequestFailed): string {
  return request.request_status ?? `${request.type}: ${message}`;
}

function describe({ record: { state, stage, finished_at, successful } }: RequestHandle, messages: number): string {
  const count = messages > 0 ? `, ${messages} messages` : "";
  if (!finished_at) return `${stage ?? "accepted"}${count}`;
  return `${successful ? colors.green(state) : colors.red(state)} in stage ${stage}${count}`;
}
