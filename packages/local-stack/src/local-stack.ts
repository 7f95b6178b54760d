import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { AwsControl } from "./aws-control.js";
import { CATALOGUE_MODES, type CatalogueMode } from "./aws-proxy/catalogue/catalogue.js";
import type { TransitionDelays } from "./aws-proxy/state-transitions.js";
import { startAwsProxy } from "./components/aws-proxy.js";
import type { Component } from "./components/component.js";
import { type EmulatorOptions, emulatorHome, startEmulator } from "./components/emulator.js";
import { startPostgres } from "./components/postgres.js";
import { removeOwnedFolder } from "./components/postgres-owner.js";
import { startRedis } from "./components/redis.js";
import { startOnPort } from "./ports.js";
import { childEnvironment, INSTALLER } from "./processes/child-environment.js";
import { identify } from "./processes/terminate.js";
import { LOCK_FILE, lockFolder } from "./stack-lock.js";

export interface LocalStackOptions {
  /** The folder of data and logs, such as `<root>/.gantry/local`. */
  folder: string;
  /**
   * `DATABASE_URL`, `REDIS_URL` and `AWS_ENDPOINT_URL` replace a component each; started processes get its parts that
   * are not secret.
   */
  environment: NodeJS.ProcessEnv;
  /** Prepares the database as soon as PostgreSQL accepts connections, while the other components start. */
  prepareDatabase?: (databaseUrl: string) => Promise<void>;
  /** Receives sentences about steps that take long. */
  report?: (sentence: string) => void;
  /** Use a temporary folder below `folder`, removed by `stop`, with fsync off. */
  ephemeral?: boolean;
  /** Commits wait for the disk; true by default unless ephemeral. */
  fsync?: boolean;
  /** The transition delays of the emulated AWS; none by default. */
  transitionDelays?: TransitionDelays;
  /** The offers of the emulated AWS if `EMULATOR_CATALOGUE` names none; by default those of today. */
  catalogue?: CatalogueMode;
  /** The folder of Python environments, which later runs reuse; next to `folder` by default. */
  cache?: string;
}

export interface LocalStack {
  databaseUrl: string;
  redisUrl: string;
  awsEndpoint: string;
  /** Controls the emulator; undefined with an endpoint from `AWS_ENDPOINT_URL`. */
  aws?: AwsControl;
  /** The started processes. */
  processes: { name: string; pid: number }[];
  /**
   * Stops all started processes and unlocks the folder; then rejects if calls violated AWS's models of its services.
   */
  stop(): Promise<void>;
}

/**
 * Starts the components that the environment does not replace: PostgreSQL, a server of the Redis protocol, an emulated AWS.
 * Their processes end with `stop`, and also when this process exits in any other way. When a component fails to start, stops
 * the others and throws an Error with a remedy.
 */
export async function startLocalStack(options: LocalStackOptions): Promise<LocalStack> {
  const { environment, report = () => undefined, ephemeral = false, fsync = !ephemeral } = options;
  const { prepareDatabase = async () => undefined } = options;
  const base = resolve(options.folder);
  const cache = options.cache ?? join(dirname(base), "python");
  const folder = ephemeral ? await createRunFolder(base) : base;
  const lock = await lockFolder(folder);
  const components: Component[] = [];
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= stopAll();
    return stopping;
  };
  const stopAll = async () => {
    const stops = await Promise.allSettled(components.map((component) => component.stop()));
    lock.release();
    if (ephemeral) removeOwnedFolder(folder);
    for (const result of stops) if (result.status === "rejected") throw result.reason;
  };
  const started = (...more: Component[]) => {
    components.push(...more);
    lock.recordProcesses(components.flatMap(({ name, pid, signal }) => identify(name, pid, signal) ?? []));
    return more.at(-1)?.url;
  };
  const { DATABASE_URL, REDIS_URL, AWS_ENDPOINT_URL } = environment;
  const shared = { folder, environment: childEnvironment(environment) };
  const urls = await Promise.allSettled([
    startDatabase(),
    REDIS_URL || startRedis(shared).then(started),
    AWS_ENDPOINT_URL ||
      startAws({ folder, environment: childEnvironment(environment, INSTALLER), cache, report }, options).then((both) =>
        started(...both),
      ),
  ]);
  async function startDatabase() {
    const url = DATABASE_URL || (await startPostgres({ ...shared, fsync }).then(started)) || "";
    await prepareDatabase(url);
    return url;
  }
  const failed = urls.find((url) => url.status === "rejected");
  if (failed) {
    await stop();
    throw failed.reason;
  }
  const [databaseUrl = "", redisUrl = "", awsEndpoint = ""] = urls.map((url) => (url as { value?: string }).value);
  return {
    databaseUrl,
    redisUrl,
    awsEndpoint,
    ...(!AWS_ENDPOINT_URL && { aws: new AwsControl(awsEndpoint) }),
    processes: components.map(({ name, pid }) => ({ name, pid })),
    stop,
  };
}

/** Starts the emulator and the proxy at the same time: the proxy connects to the emulator only at its first call. */
async function startAws(options: EmulatorOptions, { transitionDelays = {}, ...all }: LocalStackOptions) {
  const { folder, environment, cache } = options;
  const mode = catalogueMode(all.environment.EMULATOR_CATALOGUE || all.catalogue || "today");
  const settings = { transitionDelays, catalogue: mode, emulatorHome: emulatorHome(cache) };
  const callLogFile = join(folder, "aws-calls.ndjson");
  const shared = { folder, environment: childEnvironment(environment), ...settings, callLogFile };
  return startOnPort(options, async (port) => {
    const [emulator, proxy] = await Promise.allSettled([
      startEmulator({ ...options, port }),
      startAwsProxy({ ...shared, upstream: `http://127.0.0.1:${port}` }),
    ]);
    if (emulator.status === "fulfilled" && proxy.status === "fulfilled") return [emulator.value, proxy.value];
    for (const each of [emulator, proxy]) if (each.status === "fulfilled") await each.value.kill();
    throw emulator.status === "rejected" ? emulator.reason : (proxy as PromiseRejectedResult).reason;
  });
}

function catalogueMode(value: string): CatalogueMode {
  const mode = CATALOGUE_MODES.find((each) => each === value);
  if (!mode) throw new Error(`EMULATOR_CATALOGUE is ${value}, but must be one of ${CATALOGUE_MODES.join(", ")}.`);
  return mode;
}

/** Creates an unused folder, and removes the folders of crashed runs. */
async function createRunFolder(base: string): Promise<string> {
  mkdirSync(base, { recursive: true });
  for (const name of readdirSync(base).filter((entry) => entry.startsWith("run-"))) {
    const folder = join(base, name);
    if (!existsSync(join(folder, LOCK_FILE))) continue;
    const left = await lockFolder(folder).catch(() => undefined);
    if (left) removeOwnedFolder(folder);
  }
  const folder = mkdtempSync(join(base, "run-"));
  // The user of PostgreSQL needs access to the folder's subfolders.
  chmodSync(folder, 0o711);
  return folder;
}
