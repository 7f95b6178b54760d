import { request } from "node:http";
import { AccountSettings } from "./account-settings.js";
import type { AwsResponse } from "./aws-response.js";
import type { Call } from "./call.js";
import type { Emulator } from "./emulator.js";
import type { StateTransitions, TransitionDelays } from "./state-transitions.js";
import { all, parseXml, text, type Xml } from "./xml.js";

/** The first boot of new instances: reports success, reports nothing, or reports failure. */
export type FirstBootMode = "reports" | "silent" | "fails";

interface Callback {
  callback_url: string;
  token: string;
  volumes?: { device: string; mount: string }[];
}

const MAX_ATTEMPTS = 30;
const MAX_GROWTH_LOOKS = 1000;
/**
 * A real server first reports its disks a minute after its first boot. Here it must only be late enough that Gantry has
 * recorded them: tests wait for the first report.
 */
const FIRST_DISK_REPORT_MS = 3000;
/** About an hour: the first ones as often as other attempts, and then every minute as from a real server. */
const MAX_DISK_REPORTS = 90;
const LATE_REPORT_MS = 60_000;
const BACKOFF_STEP_MS = 250;
const MAX_BACKOFF_MS = 5000;
const POLL_MS = 50;
const BATCH_WINDOW_MS = 20;
const RESPONSE_TIMEOUT_MS = 5000;
const LOOPBACK = /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/;
const BODIES = {
  reports: { status: "finished", message: "The server is set up" },
  fails: { status: "failed", message: "The emulated first boot is set to fail" },
};

const MAX_BOOTED = 10_000;
const ROOT_DEVICES = ["/dev/xvda", "/dev/sda1"];
const BYTES_PER_GB = 2 ** 30;
const CONFLICT = 409;

/**
 * Emulates the user data script of Gantry, which the emulator never executes: reports to the script's callback URL, on this
 * machine only, once the instance runs, and then the disks that its file systems fill. Its timers and sockets keep no process alive.
 */
export class FirstBoots {
  readonly modes = new AccountSettings<FirstBootMode>("reports");
  /** What the instances that report were started with, by region and id. */
  private readonly booted = new Map<string, Callback>();
  private readonly statusQueries = new Map<string, { ids: string[]; states: Promise<Map<string, string>> }>();

  constructor(
    private readonly emulator: Emulator,
    private readonly delays: AccountSettings<TransitionDelays>,
    private readonly transitions: StateTransitions,
  ) {}

  /** Starts what servers do by themselves after a successful RunInstances, StartInstances or ModifyVolume. */
  start(call: Call, response: AwsResponse, regionKey: string): void {
    if (call.service !== "ec2" || response.status >= 400) return;
    const { params } = call;
    if (call.action === "ModifyVolume") void this.grow(call, regionKey);
    if (call.action === "StartInstances") {
      const ids = Object.keys(params).filter((name) => name.startsWith("InstanceId."));
      for (const name of ids) void this.reportDisks(call, regionKey, params[name] ?? "");
    }
    if (call.action !== "RunInstances") return;
    const callback = callbackIn(call.params.UserData ?? "");
    const [accountId = ""] = regionKey.split("|");
    const mode = this.modes.of(accountId);
    if (!callback || mode === "silent") return;
    const ids = all(parseXml(response.body.toString()), "instancesSet", "item").map((item) => text(item, "instanceId"));
    for (const id of ids) {
      if (mode === "reports") this.booted.set(`${regionKey}|${id}`, callback);
      const oldest = this.booted.size > MAX_BOOTED ? this.booted.keys().next().value : undefined;
      if (oldest) this.booted.delete(oldest);
      void this.boot(call, regionKey, id, callback, BODIES[mode]).catch(() => {});
    }
  }

  /** Has the server of a volume report its disks once the volume has its new size. */
  private async grow(call: Call, regionKey: string): Promise<void> {
    const { VolumeId = "", Size = "0" } = call.params;
    for (let attempt = 1; attempt <= MAX_GROWTH_LOOKS; attempt += 1) {
      await pauseBefore(attempt);
      const disks = await this.disksWith(call, { "VolumeId.1": VolumeId });
      if (!disks || disks.some((disk) => Number(text(disk, "size")) < Number(Size))) continue;
      return this.reportDisks(call, regionKey, text(disks[0], "attachmentSet", "item", "instanceId"));
    }
  }

  /**
   * Has a server report which of its disks its file systems fill: the root disk, and those that its script mounted. It goes
   * on until Gantry takes the report, the server no longer runs, or an hour is over.
   */
  private async reportDisks(call: Call, regionKey: string, instanceId: string): Promise<void> {
    const callback = this.booted.get(`${regionKey}|${instanceId}`);
    if (!callback) return;
    const mounts = new Map(callback.volumes?.map(({ device, mount }) => [device, mount]));
    for (const device of ROOT_DEVICES) mounts.set(device, "/");
    const filter = { "Filter.1.Name": "attachment.instance-id", "Filter.1.Value.1": instanceId };
    for (let attempt = 1; attempt <= MAX_DISK_REPORTS; attempt += 1) {
      if (!(await this.isRunning(call, regionKey, instanceId))) return;
      const disks = (await this.disksWith(call, filter)) ?? [];
      const filled = disks.flatMap((disk) => {
        const mount = mounts.get(text(disk, "attachmentSet", "item", "device"));
        return mount === undefined ? [] : [[mount, Number(text(disk, "size")) * BYTES_PER_GB]];
      });
      const status =
        filled.length > 0 ? await report(callback, { filled: Object.fromEntries(filled) }, "file-systems") : 0;
      // Gantry may not have recorded the root disk yet.
      if (isFinal(status) && status !== CONFLICT) return;
      await (attempt < MAX_ATTEMPTS ? pauseBefore(attempt) : pause(LATE_REPORT_MS));
    }
  }

  /** The volumes that a query finds, or undefined if the emulator does not answer. */
  private async disksWith(call: Call, query: Record<string, string>): Promise<Xml[] | undefined> {
    const params = { Action: "DescribeVolumes", ...query };
    const found = await this.emulator.read(call, "ec2", params).catch(() => undefined);
    return found === undefined ? undefined : all(found, "volumeSet", "item");
  }

  /** Asks again while the emulator does not answer, or knows the instance not yet: no server boots without its script. */
  private async isRunning(call: Call, regionKey: string, id: string): Promise<boolean> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const states = await this.statesOf(call, regionKey, id).catch(() => new Map<string, string>());
      const state = states.get(id) ?? "pending";
      if (state !== "pending") return state === "running";
      await pauseBefore(attempt);
    }
    return false;
  }

  /** Returns the states of instances; one query serves all calls within `BATCH_WINDOW_MS`. */
  private statesOf(call: Call, regionKey: string, id: string): Promise<Map<string, string>> {
    let query = this.statusQueries.get(regionKey);
    if (!query) {
      const ids: string[] = [];
      query = { ids, states: pause(BATCH_WINDOW_MS).then(() => this.queryStates(call, regionKey, ids)) };
      this.statusQueries.set(regionKey, query);
    }
    query.ids.push(id);
    return query.states;
  }

  private async queryStates(call: Call, regionKey: string, ids: string[]): Promise<Map<string, string>> {
    this.statusQueries.delete(regionKey);
    // A list of ids would fail as a whole if a single one of them is gone.
    const filter = Object.fromEntries(ids.map((id, i) => [`Filter.1.Value.${i + 1}`, id]));
    const params = { Action: "DescribeInstances", "Filter.1.Name": "instance-id", ...filter };
    const found = await this.emulator.read(call, "ec2", params);
    const instances = all(found, "reservationSet", "item").flatMap((item) => all(item, "instancesSet", "item"));
    return new Map(instances.map((item) => [text(item, "instanceId"), text(item, "instanceState", "name")]));
  }

  private async boot(call: Call, regionKey: string, id: string, callback: Callback, content: object): Promise<void> {
    const [accountId = ""] = regionKey.split("|");
    do await pause(Math.max(POLL_MS, Math.min(1000, this.delays.of(accountId).instanceMs ?? 0)));
    while (this.transitions.current(regionKey, id, "instanceMs"));
    if (!(await this.isRunning(call, regionKey, id))) return;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      if (isFinal(await report(callback, content))) {
        await pause(FIRST_DISK_REPORT_MS);
        return this.reportDisks(call, regionKey, id);
      }
      await pauseBefore(attempt);
    }
  }
}

/** Returns the callback in user data, for a script of Gantry that calls this machine. */
function callbackIn(userData: string): Callback | undefined {
  const script = Buffer.from(userData, "base64").toString();
  // Builds before and after this one have other names for it.
  const blob = /^[A-Z]+ = "([A-Za-z0-9+/=]+)"$/m.exec(script)?.[1];
  if (!blob) return undefined;
  try {
    const callback = JSON.parse(Buffer.from(blob, "base64").toString()) as Callback;
    const { protocol, hostname } = new URL(callback.callback_url);
    return protocol === "http:" && LOOPBACK.test(hostname) ? callback : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the status code of Gantry's answer, and 0 if there is none. */
function report({ callback_url, token }: Callback, content: object, path = "callback"): Promise<number> {
  return new Promise((resolve) => {
    const url = callback_url.replace(/callback$/, path);
    const body = JSON.stringify({ token, ...content });
    const headers = { "content-type": "application/json", "content-length": Buffer.byteLength(body) };
    const options = { method: "POST", headers, agent: false, timeout: RESPONSE_TIMEOUT_MS };
    const outgoing = request(url, options, (response) => {
      const status = response.statusCode ?? 0;
      response.resume();
      response.on("error", () => resolve(0));
      response.on("end", () => resolve(status));
    });
    outgoing.on("socket", (socket) => socket.unref());
    outgoing.on("timeout", () => outgoing.destroy());
    outgoing.on("error", () => resolve(0));
    outgoing.end(body);
  });
}

/** False if the report should be sent again. */
function isFinal(status: number): boolean {
  return status > 0 && status < 500 && status !== 429;
}

function pauseBefore(attempt: number): Promise<void> {
  return pause(Math.min(MAX_BACKOFF_MS, attempt * BACKOFF_STEP_MS));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms).unref());
}
