import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { applyMigrations } from "@gantry/db";
import {
  AwsControl,
  type Component,
  freePort,
  startAwsProxy,
  startEmulator,
  startPostgres,
  startRedis,
} from "@gantry/local-stack";
import { Redis } from "ioredis";
import { type App, startApp } from "../../../scripts/processes.js";
import { build } from "../../load/build.js";
import { APIS, type Target, WORKERS } from "./fault-schedule.js";
import type { Outage } from "./invariants.js";
import { ProcessSupervisor, type SupervisedProcess } from "./process-supervisor.js";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const FREEZE_MS = 60_000;
/** A newly made thing may stay unseen for less than this. */
const VISIBILITY_SECONDS = 3;

export interface FleetOptions {
  /** Settings of the workers that are not the usual ones. */
  workerSettings?: Record<string, string> | undefined;
  /** Modules that the workers load before their own. */
  preloads?: string[] | undefined;
}

/** Everything that Gantry runs on, each part in a process of its own, to be killed and frozen. */
export class Fleet {
  /** The processes that died or froze by our doing, in order. */
  readonly outages: Outage[] = [];
  /** Those that ended by themselves. */
  readonly unexpectedExits: string[] = [];

  private constructor(
    readonly folder: string,
    readonly databaseUrl: string,
    readonly apiUrls: string[],
    readonly masterKey: Buffer<ArrayBuffer>,
    readonly aws: AwsControl,
    private readonly redisUrl: string,
    private readonly supervisors: Map<string, ProcessSupervisor>,
    private readonly infrastructure: Component[],
    private readonly frozen: Map<string, SupervisedProcess>,
  ) {}

  /** Starts all of it but the apps; `open` prepares the database before these come up. */
  static async start({ workerSettings = {}, preloads = [] }: FleetOptions): Promise<Fleet> {
    build();
    const folder = createFolder();
    const { DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...environment } = process.env;
    const shared = { folder, environment };
    const emulator = await startEmulator({ ...shared, cache: join(root, ".gantry/python"), report: console.log });
    const callLogFile = join(folder, "aws-calls.ndjson");
    const proxy = await startAwsProxy({ ...shared, upstream: emulator.url, callLogFile });
    const [databasePort, redisPort] = [await freePort(), await freePort()];
    const apiPorts = [await freePort(), await freePort()];
    const redisUrl = `redis://127.0.0.1:${redisPort}`;
    const databaseUrl = `postgresql://postgres@127.0.0.1:${databasePort}/gantry`;
    const apiUrls = apiPorts.map((port) => `http://127.0.0.1:${port}`);
    const masterKey = Buffer.from(randomBytes(32));
    const settings = {
      NODE_ENV: "production",
      REDIS_URL: redisUrl,
      AWS_ENDPOINT_URL: proxy.url,
      MASTER_KEY: masterKey.toString("base64"),
      BASE_URL: apiUrls[0] ?? "",
      AWS_VISIBILITY_SECONDS: String(VISIBILITY_SECONDS),
      RATE_LIMIT_PER_MINUTE: "100000000",
      // What it finds is another promise's matter; its writes belong to no Request.
      DRIFT_SECONDS: "0",
    };
    const app = (name: App["name"], more: Record<string, string>) => async (processName: string) => {
      const known = { DATABASE_URL: `${databaseUrl}?application_name=${processName}`, AWS_SDK_UA_APP_ID: processName };
      const env = { ...settings, ...more, ...known };
      const how = { isBuilt: true, preloads: name === "worker" ? preloads : [] };
      const started = await startApp(name, env, join(folder, processName), how);
      return appProcess(started);
    };
    const launchers: [string, (processName: string) => Promise<SupervisedProcess>][] = [
      ["postgres", () => startPostgres({ ...shared, port: databasePort, fsync: true }).then(partProcess)],
      ["redis", () => startRedis({ ...shared, port: redisPort }).then(partProcess)],
      ...APIS.map((name, i): (typeof launchers)[number] => [name, app("api", { PORT: String(apiPorts[i]) })]),
      ...WORKERS.map((name): (typeof launchers)[number] => [name, app("worker", workerSettings)]),
    ];
    const aws = new AwsControl(proxy.url);
    const supervisors = new Map<string, ProcessSupervisor>();
    const standing = [emulator, proxy];
    const fleet = new Fleet(folder, databaseUrl, apiUrls, masterKey, aws, redisUrl, supervisors, standing, new Map());
    for (const [name, launch] of launchers)
      supervisors.set(name, new ProcessSupervisor(name, launch, (died) => fleet.unexpectedExits.push(died)));
    await Promise.all([fleet.slot("postgres").started(), fleet.slot("redis").started()]);
    await applyMigrations(databaseUrl, join(root, "prisma/migrations"));
    return fleet;
  }

  /** Brings the API and the workers up. */
  async startApps(): Promise<void> {
    await Promise.all([...APIS, ...WORKERS].map((name) => this.slot(name).started()));
  }

  /** Kills a process with SIGKILL, and has another start in its place; another worker where that one is frozen. */
  async kill(victim: Target): Promise<void> {
    const isFrozen = this.frozen.has(this.slot(victim).lifeName);
    const awake = WORKERS.find((name) => !this.frozen.has(this.slot(name).lifeName));
    const name = await this.slot((isFrozen && awake) || victim).kill();
    this.outages.push({ name, at: new Date() });
  }

  /** Stops a worker for a minute, in the middle of whatever it does; false where it is gone or another one stands still. */
  freeze(name: string): boolean {
    const child = [...this.supervisors.values()].find(({ lifeName: processName }) => processName === name)?.current;
    if (!child || this.frozen.size > 0) return false;
    this.frozen.set(name, child);
    process.kill(child.pid, "SIGSTOP");
    this.outages.push({ name, at: new Date() });
    void sleep(FREEZE_MS, undefined, { ref: false }).then(() => this.resume(name));
    return true;
  }

  async flush(): Promise<void> {
    await this.slot("redis").started();
    const redis = new Redis(this.redisUrl, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on("error", () => {});
    await redis.flushall().catch(() => {});
    redis.disconnect();
  }

  /** Has every process go on, and waits until all are up. */
  async recover(): Promise<void> {
    for (const name of this.frozen.keys()) this.resume(name);
    await Promise.all([...this.supervisors.values()].map((supervisor) => supervisor.started()));
  }

  /** Ends everything; the folder with its logs goes too unless it is to be `kept`. */
  async close(isKept: boolean): Promise<void> {
    for (const name of this.frozen.keys()) this.resume(name);
    await Promise.all([...APIS, ...WORKERS].map((name) => this.slot(name).stop()));
    await Promise.all([this.slot("postgres").stop(), this.slot("redis").stop()]);
    await Promise.all(this.infrastructure.map((part) => part.stop()));
    // What a killed PostgreSQL had begun may still be writing for a moment.
    if (!isKept) rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private resume(name: string): void {
    const child = this.frozen.get(name);
    this.frozen.delete(name);
    if (child) process.kill(child.pid, "SIGCONT");
  }

  private slot(name: string): ProcessSupervisor {
    const supervisor = this.supervisors.get(name);
    if (!supervisor) throw new Error(`there is no ${name}`);
    return supervisor;
  }
}

function appProcess({ process: child, pid, stop }: App): SupervisedProcess {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { pid, stop, kill, ended };
}

function partProcess({ pid, stop, kill }: Component): SupervisedProcess {
  return { pid, stop, kill, ended: new Promise(() => {}) };
}

function createFolder(): string {
  const base = join(root, ".gantry/chaos");
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, "run-"));
  // PostgreSQL's own user must pass through.
  chmodSync(folder, 0o711);
  return folder;
}
