import { request } from "node:http";
import type { AwsResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import type { StateTransitions } from "./state-transitions.js";
import type { TransitionDelaySettings } from "./transition-delays.js";
import { all, parseXml, text } from "./xml.js";

/** What new instances do of themselves: report that they are set up, say nothing, or report that they could not be. */
export type FirstBootMode = "reports" | "silent" | "fails";

interface Callback {
  callback_url: string;
  token: string;
}

const MAX_ATTEMPTS = 30;
/** How much longer each wait between tries is than the one before, and the longest. */
const BACKOFF_STEP_MS = 250;
const MAX_BACKOFF_MS = 5000;
const POLL_MS = 50;
const BATCH_WINDOW_MS = 20;
const RESPONSE_TIMEOUT_MS = 5000;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;
const BODIES = {
  reports: { status: "finished", message: "The server is set up" },
  fails: { status: "failed", message: "The emulated first boot was told to fail" },
};

/**
 * Does what the user data of Gantry's has an instance do once it runs, which the emulator never does: it reports to the
 * callback that it was told, on this machine only. Nothing here keeps the process alive.
 */
export class FirstBoots {
  private readonly modes = new Map<string, FirstBootMode>();
  private readonly statusQueries = new Map<string, { ids: string[]; states: Promise<Map<string, string>> }>();
  private defaultMode: FirstBootMode = "reports";

  constructor(
    private readonly emulator: Emulator,
    private readonly slowness: TransitionDelaySettings,
    private readonly transitions: StateTransitions,
  ) {}

  /** Changes what new instances do: in one account, or in all that have no setting of their own. */
  set(mode: FirstBootMode, accountId?: string): void {
    if (accountId) this.modes.set(accountId, mode);
    else this.defaultMode = mode;
  }

  /** Takes note of an answered launch. */
  start(call: Call, answer: AwsResponse, place: string): void {
    if (call.service !== "ec2" || call.action !== "RunInstances" || answer.status >= 400) return;
    const told = callbackIn(call.params.UserData ?? "");
    const [accountId = ""] = place.split("|");
    const mode = this.modes.get(accountId) ?? this.defaultMode;
    if (!told || mode === "silent") return;
    const ids = all(parseXml(answer.body.toString()), "instancesSet", "item").map((item) => text(item, "instanceId"));
    for (const id of ids) void this.boot(call, place, id, told, BODIES[mode]).catch(() => {});
  }

  /** How instances are that have not ended, asked once for all that want to know within some milliseconds. */
  private statesOf(call: Call, place: string, id: string): Promise<Map<string, string>> {
    let look = this.statusQueries.get(place);
    if (!look) {
      const ids: string[] = [];
      look = { ids, states: pause(BATCH_WINDOW_MS).then(() => this.queryStates(call, place, ids)) };
      this.statusQueries.set(place, look);
    }
    look.ids.push(id);
    return look.states;
  }

  private async queryStates(call: Call, place: string, ids: string[]): Promise<Map<string, string>> {
    this.statusQueries.delete(place);
    const named = Object.fromEntries(ids.map((id, i) => [`InstanceId.${i + 1}`, id]));
    const found = await this.emulator.read(call, "ec2", { Action: "DescribeInstanceStatus", ...named });
    const instances = all(found, "instanceStatusSet", "item");
    return new Map(instances.map((item) => [text(item, "instanceId"), text(item, "instanceState", "name")]));
  }

  private async boot(call: Call, place: string, id: string, told: Callback, said: object): Promise<void> {
    const [accountId = ""] = place.split("|");
    do await pause(Math.max(POLL_MS, Math.min(1000, this.slowness.of(accountId).instanceMs ?? 0)));
    while (this.transitions.current(place, id, "instanceMs"));
    if ((await this.statesOf(call, place, id)).get(id) !== "running") return;
    for (let tries = 1; tries <= MAX_ATTEMPTS; tries += 1) {
      if (await report(told, said)) return;
      await pause(Math.min(MAX_BACKOFF_MS, tries * BACKOFF_STEP_MS));
    }
  }
}

/** What the script in the user data is told, where it is one of Gantry's and calls this machine. */
function callbackIn(userData: string): Callback | undefined {
  const script = Buffer.from(userData, "base64").toString();
  const blob = /^TOLD = "([A-Za-z0-9+/=]+)"$/m.exec(script)?.[1];
  if (!blob) return undefined;
  try {
    const told = JSON.parse(Buffer.from(blob, "base64").toString()) as Callback;
    const { protocol, hostname } = new URL(told.callback_url);
    return protocol === "http:" && LOOPBACK.test(hostname) ? told : undefined;
  } catch {
    return undefined;
  }
}

/** True where nothing is gained by another try: the report was taken, or refused for good. */
function report({ callback_url: url, token }: Callback, said: object): Promise<boolean> {
  return new Promise((resolve) => {
    const body = JSON.stringify({ token, ...said });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const sent = request(url, { method: "POST", headers, agent: false, timeout: RESPONSE_TIMEOUT_MS }, (reply) => {
      const status = reply.statusCode ?? 500;
      reply.resume();
      reply.on("error", () => resolve(false));
      reply.on("end", () => resolve(status < 500 && status !== 429));
    });
    sent.on("socket", (socket) => socket.unref());
    sent.on("timeout", () => sent.destroy());
    sent.on("error", () => resolve(false));
    sent.end(body);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
