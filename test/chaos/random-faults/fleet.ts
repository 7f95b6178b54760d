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
import { APIS, type Victim, WORKERS } from "./fault-schedule.js";
import type { Down } from "./invariants.js";
import { type Life, Slot } from "./process-supervisor.js";

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
  readonly downs: Down[] = [];
  /** Those that ended by themselves. */
  readonly ownDeaths: string[] = [];

  private constructor(
    readonly folder: string,
    readonly databaseUrl: string,
    readonly apiUrls: string[],
    readonly masterKey: Buffer<ArrayBuffer>,
    readonly aws: AwsControl,
    private readonly redisUrl: string,
    private readonly slots: Map<string, Slot>,
    private readonly standing: Component[],
    private readonly frozen: Map<string, Life>,
  ) {}

  /** Starts all of it but the apps; `open` prepares the database before these come up. */
  static async start({ workerSettings = {}, preloads = [] }: FleetOptions): Promise<Fleet> {
    build();
    const folder = freshFolder();
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
    const app = (name: App["name"], more: Record<string, string>) => async (lifeName: string) => {
      const known = { DATABASE_URL: `${databaseUrl}?application_name=${lifeName}`, AWS_SDK_UA_APP_ID: lifeName };
      const env = { ...settings, ...more, ...known };
      const how = { isBuilt: true, preloads: name === "worker" ? preloads : [] };
      const started = await startApp(name, env, join(folder, lifeName), how);
      return lifeOf(started);
    };
    const begins: [string, (lifeName: string) => Promise<Life>][] = [
      ["postgres", () => startPostgres({ ...shared, port: databasePort, fsync: true }).then(partLife)],
      ["redis", () => startRedis({ ...shared, port: redisPort }).then(partLife)],
      ...APIS.map((name, i): (typeof begins)[number] => [name, app("api", { PORT: String(apiPorts[i]) })]),
      ...WORKERS.map((name): (typeof begins)[number] => [name, app("worker", workerSettings)]),
    ];
    const aws = new AwsControl(proxy.url);
    const slots = new Map<string, Slot>();
    const standing = [emulator, proxy];
    const fleet = new Fleet(folder, databaseUrl, apiUrls, masterKey, aws, redisUrl, slots, standing, new Map());
    for (const [name, begin] of begins) slots.set(name, new Slot(name, begin, (died) => fleet.ownDeaths.push(died)));
    await Promise.all([fleet.slot("postgres").up(), fleet.slot("redis").up()]);
    await applyMigrations(databaseUrl, join(root, "prisma/migrations"));
    return fleet;
  }

  /** Brings the API and the workers up. */
  async open(): Promise<void> {
    await Promise.all([...APIS, ...WORKERS].map((name) => this.slot(name).up()));
  }

  /** Kills a process with SIGKILL, and has another start in its place; another worker where that one is frozen. */
  async kill(victim: Victim): Promise<void> {
    const isFrozen = this.frozen.has(this.slot(victim).lifeName);
    const awake = WORKERS.find((name) => !this.frozen.has(this.slot(name).lifeName));
    const name = await this.slot((isFrozen && awake) || victim).kill();
    this.downs.push({ name, at: new Date() });
  }

  /** Stops a worker for a minute, in the middle of whatever it does; false where it is gone or another one stands still. */
  freeze(name: string): boolean {
    const life = [...this.slots.values()].find(({ lifeName }) => lifeName === name)?.current;
    if (!life || this.frozen.size > 0) return false;
    this.frozen.set(name, life);
    process.kill(life.pid, "SIGSTOP");
    this.downs.push({ name, at: new Date() });
    void sleep(FREEZE_MS, undefined, { ref: false }).then(() => this.thaw(name));
    return true;
  }

  async flush(): Promise<void> {
    await this.slot("redis").up();
    const redis = new Redis(this.redisUrl, { maxRetriesPerRequest: 0, retryStrategy: () => null });
    redis.on("error", () => {});
    await redis.flushall().catch(() => {});
    redis.disconnect();
  }

  /** Has every process go on, and waits until all are up. */
  async heal(): Promise<void> {
    for (const name of this.frozen.keys()) this.thaw(name);
    await Promise.all([...this.slots.values()].map((slot) => slot.up()));
  }

  /** Ends everything; the folder with its logs goes too unless it is to be `kept`. */
  async close(isKept: boolean): Promise<void> {
    for (const name of this.frozen.keys()) this.thaw(name);
    await Promise.all([...APIS, ...WORKERS].map((name) => this.slot(name).stop()));
    await Promise.all([this.slot("postgres").stop(), this.slot("redis").stop()]);
    await Promise.all(this.standing.map((part) => part.stop()));
    // What a killed PostgreSQL had begun may still be writing for a moment.
    if (!isKept) rmSync(this.folder, { recursive: true, force: true, maxRetries: 10 });
  }

  private thaw(name: string): void {
    const life = this.frozen.get(name);
    this.frozen.delete(name);
    if (life) process.kill(life.pid, "SIGCONT");
  }

  private slot(name: string): Slot {
    const slot = this.slots.get(name);
    if (!slot) throw new Error(`there is no ${name}`);
    return slot;
  }
}

function lifeOf({ process: child, pid, stop }: App): Life {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  const kill = () => {
    child.kill("SIGKILL");
    return ended;
  };
  return { pid, stop, kill, ended };
}

function partLife({ pid, stop, kill }: Component): Life {
  return { pid, stop, kill, ended: new Promise(() => {}) };
}

function freshFolder(): string {
  const base = join(root, ".gantry/chaos");
  mkdirSync(base, { recursive: true });
  const folder = mkdtempSync(join(base, "run-"));
  // PostgreSQL's own user must pass through.
  chmodSync(folder, 0o711);
  return folder;
}
