import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AwsControl } from "./aws-control.js";
import type { TransitionDelays } from "./aws-proxy/state-transitions.js";
import { startAwsProxy } from "./components/aws-proxy.js";
import { type Component, freePort } from "./components/component.js";
import { type EmulatorOptions, startEmulator } from "./components/emulator.js";
import { startPostgres } from "./components/postgres.js";
import { removeOwnedFolder } from "./components/postgres-owner.js";
import { startRedis } from "./components/redis.js";
import { identify } from "./processes/terminate.js";
import { LOCK_FILE, lockFolder, type StackLock } from "./stack-lock.js";

export interface LocalStackOptions {
  /** Where data and logs are kept, such as `<root>/.gantry/local`. */
  folder: string;
  /** `DATABASE_URL`, `REDIS_URL` and `AWS_ENDPOINT_URL` in here are used as they are; the rest goes to the processes started. */
  environment: NodeJS.ProcessEnv;
  /** Told what takes long, in sentences. */
  report?: (sentence: string) => void;
  /** Fresh data in a folder of its own that `stop` removes, and no waiting for the disk. */
  ephemeral?: boolean;
  /** Whether a commit waits for the disk; true unless ephemeral. */
  fsync?: boolean;
  /** How slow instances, volumes, snapshots and databases become usable; at once when left out. */
  transitionDelays?: TransitionDelays;
  /** Where the emulator's Python environment is kept between runs; beside `folder` when left out. */
  cache?: string;
}

export interface LocalStack {
  databaseUrl: string;
  redisUrl: string;
  awsEndpoint: string;
  /** The emulator's controls; missing when `AWS_ENDPOINT_URL` named an endpoint. */
  aws?: AwsControl;
  /** What was started. */
  processes: { name: string; pid: number }[];
  /** Ends everything that was started and gives the folder free. */
  stop(): Promise<void>;
}

/**
 * Starts what Gantry needs and the environment does not name: PostgreSQL, a Redis protocol, AWS. Everything ends with `stop`,
 * and also when this process dies in any other way. Throws one sentence, with nothing left running, when a part cannot start.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { environment, report = () => undefined, ephemeral = false, fsync = !ephemeral } = options;
  const base = resolve(options.folder);
  const cache = options.cache ?? join(dirname(base), "python");
  const folder = ephemeral ? await createRunFolder(base) : base;
  const lock = await lockFolder(folder);
  const components: Component[] = [];
  let released: Promise<void> | undefined;
  const release = () => {
    released ??= stopAll();
    return released;
  };
  const stopAll = async () => {
    await Promise.all(components.map((part) => part.stop()));
    lock.release();
    if (ephemeral) removeOwnedFolder(folder);
  };
  const started = async (starting: Promise<Component>) => {
    const part = await starting;
    components.push(part);
    recordProcesses(lock, components);
    return part.url;
  };
  const { DATABASE_URL, REDIS_URL, AWS_ENDPOINT_URL } = environment;
  const shared = { folder, environment };
  const urls = await Promise.allSettled([
    DATABASE_URL || started(startPostgres({ ...shared, fsync })),
    REDIS_URL || started(startRedis(shared)),
    AWS_ENDPOINT_URL || startAws({ ...shared, cache, report, slowness: options.transitionDelays ?? {} }, started),
  ]);
  const failed = urls.find((url) => url.status === "rejected");
  if (failed) {
    await release();
    throw failed.reason;
  }
  const [databaseUrl = "", redisUrl = "", awsEndpoint = ""] = urls.map((url) => (url as { value?: string }).value);
  return {
    databaseUrl,
    redisUrl,
    awsEndpoint,
    ...(!AWS_ENDPOINT_URL && { aws: new AwsControl(awsEndpoint) }),
    processes: components.map(({ name, pid }) => ({ name, pid })),
    stop: release,
  };
}

type AwsOptions = EmulatorOptions & { slowness: TransitionDelays };

/** The proxy does not need the emulator to start, so both start together. */
async function startAws(
  { slowness, ...options }: AwsOptions,
  started: (starting: Promise<Component>) => Promise<string>,
) {
  const { folder, environment } = options;
  const port = await freePort();
  const upstream = `http://127.0.0.1:${port}`;
  const [emulator, proxy] = await Promise.allSettled([
    started(startEmulator({ ...options, port })),
    started(
      startAwsProxy({
        folder,
        environment,
        upstream,
        transitionDelays: slowness,
        callLogFile: join(folder, "aws-calls.ndjson"),
      }),
    ),
  ]);
  if (emulator.status === "rejected") throw emulator.reason;
  if (proxy.status === "rejected") throw proxy.reason;
  return proxy.value;
}

function recordProcesses(lock: StackLock, parts: Component[]): void {
  lock.recordProcesses(parts.flatMap(({ name, pid, signal }) => identify(name, pid, signal) ?? []));
}

/** A folder that no other run has; those that a crashed run left behind are cleared away first. */
async function createRunFolder(base: string): Promise<string> {
  mkdirSync(base, { recursive: true });
  for (const name of readdirSync(base).filter((entry) => entry.startsWith("run-"))) {
    const folder = join(base, name);
    if (!existsSync(join(folder, LOCK_FILE))) continue;
    const left = await lockFolder(folder).catch(() => undefined);
    if (left) removeOwnedFolder(folder);
  }
  const folder = mkdtempSync(join(base, "run-"));
  // PostgreSQL's own user must pass through.
  chmodSync(folder, 0o711);
  return folder;
}
