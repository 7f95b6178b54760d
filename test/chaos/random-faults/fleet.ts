import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { prepareDatabase } from "@gantry/db";
import {
  AwsControl,
  type Component,
  emulatorHome,
  freePort,
  killOnExit,
  startAwsProxy,
  startEmulator,
} from "@gantry/local-stack";
import { type App, startApp } from "../../../scripts/processes.js";
import { build } from "../../load/build.js";
import { DEFAULT_SETTINGS } from "../../support/default-settings.js";
import { APIS, type Target, WORKERS } from "./fault-schedule.js";
import type { Outage } from "./invariants.js";
import { type SupervisedProcess, Supervisor } from "./process-supervisor.js";
import { actOnQueue, flushRedis, type QueueAct, resumeQueue } from "./queue-acts.js";
import { STORES, type StoresName } from "./stores/index.js";
import type { Stores } from "./stores/stores.js";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const QUEUE_PREFIX = "{chaos}";
/** A little longer than the lease of a change: another worker runs the Request when the frozen one goes on. */
const FREEZE_MS = (DEFAULT_SETTINGS.LEASE_SECONDS + DEFAULT_SETTINGS.AWS_CALL_SECONDS + 2) * 1000;
/** Longer than the delayed visibility of the fault profile. */
const VISIBILITY_SECONDS = 3;

export interface FleetOptions {
  /** What PostgreSQL and Redis run as; `single` by default. */
  stores?: StoresName | undefined;
  /** Settings of the workers that differ from the defaults. */
  workerSettings?: Record<string, string> | undefined;
  /** Modules that the workers load first. */
  preloads?: string[] | undefined;
}

/** The APIs, workers and stores, each in a process that can be killed; workers can be frozen. */
export class Fleet {
  /** The processes that the campaign has killed or frozen, in order. */
  readonly outages: Outage[] = [];
  readonly unexpectedExits: string[] = [];
  private readonly supervisors = new Map<string, Supervisor>();
  private readonly frozen = new Map<string, { child: SupervisedProcess; keepOnExit: () => void }>();

  private constructor(
    readonly folder: string,
    readonly apiUrls: string[],
    readonly masterKey: Buffer<ArrayBuffer>,
    readonly aws: AwsControl,
    private readonly stores: Stores,
    private readonly infrastructure: Component[],
  ) {}

  /** The database with the name of the tables' owner; the apps have their own user. */
  get databaseUrl(): string {
    return this.stores.databaseUrl;
  }

  /** Starts everything except the apps, and migrates the database. */
  static async start({
    stores: storesName = "single",
    workerSettings = {},
    preloads = [],
  }: FleetOptions): Promise<Fleet> {
    build();
    const folder = createFolder();
    const { DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...environment } = process.env;
    const shared = { folder, environment };
    const cache = join(root, ".gantry/python");
    const emulator = await startEmulator({ ...shared, cache, report: console.log });
    const callLogFile = join(folder, "aws-calls.ndjson");
    const proxy = await startAwsProxy({
      ...{ ...shared, upstream: emulator.url, callLogFile },
      emulatorHome: emulatorHome(cache),
    });
    const apiPorts = [await freePort(), await freePort()];
    const stores = await STORES[storesName](shared);
    const apiUrls = apiPorts.map((port) => `http://127.0.0.1:${port}`);
    const masterKey = Buffer.from(randomBytes(32));
    const settings = {
      NODE_ENV: "production",
      QUEUE_PREFIX,
      REDIS_URL: stores.redisUrl,
      ...stores.settings,
      AWS_ENDPOINT_URL: proxy.url,
      MASTER_KEY: masterKey.toString("base64"),
      BASE_URL: apiUrls[0] ?? "",
      AWS_VISIBILITY_SECONDS: String(VISIBILITY_SECONDS),
      RATE_LIMIT_PER_MINUTE: "100000000",
      OPEN_REQUESTS_PER_ACCOUNT: "1000000",
      WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8,::1/128",
      // The writes of a drift scan belong to no Request.
      DRIFT_SECONDS: "0",
    };
    const app = (name: App["name"], more: Record<string, string>) => async (processName: string) => {
      const appUrl = new URL(stores.appUrl);
      appUrl.searchParams.set("application_name", processName);
      const own = { DATABASE_URL: appUrl.href, AWS_SDK_UA_APP_ID: processName };
      const env = { ...settings, ...more, ...own };
      const options = { isBuilt: true, preloads: name === "worker" ? preloads : [] };
      return startApp(name, env, join(folder, processName), options);
    };
    const launchers: [string, (processName: string) => Promise<SupervisedProcess>][] = [
      ...Object.entries(stores.servers),
      ...APIS.map((name, i): (typeof launchers)[number] => [name, app("api", { PORT: String(apiPorts[i]) })]),
      ...WORKERS.map((name): (typeof launchers)[number] => [name, app("worker", workerSettings)]),
    ];
    const aws = new AwsControl(proxy.url);
    const fleet = new Fleet(folder, apiUrls, masterKey, aws, stores, [emulator, proxy]);
    for (const [name, launch] of launchers)
      fleet.supervisors.set(name, new Supervisor(name, launch, (exited) => fleet.unexpectedExits.push(exited)));
    await fleet.serversStarted();
    await stores.connect?.();
    await prepareDatabase(stores.databaseUrl, stores.appUrl.href, join(root, "prisma/migrations"));
    return fleet;
  }

  async startApps(): Promise<void> {
    await Promise.all([...APIS, ...WORKERS].map((name) => this.supervisor(name).started()));
  }

  /** Kills a process with SIGKILL, which is then restarted. Kills another worker if that one is frozen. */
  async kill(target: Target): Promise<void> {
    const victim = target === "redis" || target === "postgres" ? await this.stores.victims[target]() : target;
    const isFrozen = this.frozen.has(this.supervisor(victim).processName);
    const running = WORKERS.find((name) => !this.frozen.has(this.supervisor(name).processName));
    const name = await this.supervisor((isFrozen && running) || victim).kill();
    this.outages.push({ name, at: new Date() });
  }

  /** Freezes a worker until it has lost its lease. Returns false if it has exited or another one is frozen. */
  freeze(name: string): boolean {
    const child = [...this.supervisors.values()].find(({ processName }) => processName === name)?.current;
    if (!child || this.frozen.size > 0) return false;
    this.frozen.set(name, { child, keepOnExit: killOnExit(child.pid, process.env) });
    process.kill(child.pid, "SIGSTOP");
    this.outages.push({ name, at: new Date() });
    void sleep(FREEZE_MS, undefined, { ref: false }).then(() => this.resume(name));
    return true;
  }

  async flush(): Promise<void> {
    await this.serversStarted();
    await flushRedis(this.stores.redisUrl);
  }

  async actOnQueue(act: QueueAct): Promise<void> {
    await this.serversStarted();
    await actOnQueue(this.stores.redisUrl, QUEUE_PREFIX, act);
  }

  /** Resumes the frozen worker and the queue, and waits until every process is up. */
  async recover(): Promise<void> {
    for (const name of this.frozen.keys()) this.resume(name);
    await Promise.all([...this.supervisors.values()].map((supervisor) => supervisor.started()));
    await resumeQueue(this.stores.redisUrl, QUEUE_PREFIX);
  }

  /** Stops everything and removes the folder with the logs, unless `keepsLogs`. */
  async close(keepsLogs: boolean): Promise<void> {
    for (const name of this.frozen.keys()) this.resume(name);
    await Promise.all([...APIS, ...WORKERS].map((name) => this.supervisor(name).stop()));
    await Promise.all(this.servers.map((name) => this.supervisor(name).stop()));
    await Promise.all(this.infrastructure.map((component) => component.stop()));
    // Children of a killed PostgreSQL may still be writing.
    if (!keepsLogs) rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private get servers(): string[] {
    return Object.keys(this.stores.servers);
  }

  private async serversStarted(): Promise<void> {
    await Promise.all(this.servers.map((name) => this.supervisor(name).started()));
  }

  private resume(name: string): void {
    const frozen = this.frozen.get(name);
    this.frozen.delete(name);
    if (!frozen) return;
    process.kill(frozen.child.pid, "SIGCONT");
    frozen.keepOnExit();
  }

  private supervisor(name: string): Supervisor {
    const supervisor = this.supervisors.get(name);
    if (!supervisor) throw new Error(`there is no ${name}`);
    return supervisor;
  }
}

function createFolder(): string {
  const base = join(root, ".gantry/chaos");
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, "run-"));
  // The user of PostgreSQL must be able to enter the folder.
  chmodSync(folder, 0o711);
  return folder;
}
