import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { localPassword, startProcess, toComponent } from "@gantry/local-stack";
import { Redis } from "ioredis";
import { installDebianPackage } from "../../../support/debian-package.js";
import type { SupervisedProcess } from "../process-supervisor.js";
import { type StoreOptions, supervised } from "./stores.js";

/** Debian's server has this name in a package that starts no service; the name by which it is called makes it a server. */
const PROGRAM = "/usr/bin/redis-check-rdb";

export interface RedisServer {
  name: string;
  port: number;
  directives: string[];
  isSentinel?: boolean;
  isTls?: boolean;
}

/** Starts Debian's Redis or Sentinel with a password and without persistence. */
export async function startRedisServer(
  { folder, environment }: StoreOptions,
  { name, port, directives, isSentinel = false, isTls = false }: RedisServer,
): Promise<SupervisedProcess> {
  const problem = installDebianPackage("redis-tools", PROGRAM);
  if (problem) throw new Error(problem);
  const program = join(folder, "redis-server");
  if (!existsSync(program)) symlinkSync(PROGRAM, program);
  const home = join(folder, name);
  mkdirSync(home, { recursive: true });
  const configuration = join(home, "redis.conf");
  const password = localPassword(folder, "redis");
  const memory = ['save ""', "appendonly no", "maxmemory-policy noeviction", `masterauth ${password}`];
  const common = [
    ...(isTls ? ["port 0", `tls-port ${port}`] : [`port ${port}`]),
    "bind 127.0.0.1",
    `dir ${home}`,
    `requirepass ${password}`,
  ];
  // A Sentinel keeps what it has learnt in its file.
  if (!isSentinel || !existsSync(configuration))
    writeFileSync(configuration, [...common, ...(isSentinel ? [] : memory), ...directives, ""].join("\n"));
  const logFile = join(folder, `${name}.log`);
  const running = await startProcess({
    name,
    command: program,
    args: [configuration, ...(isSentinel ? ["--sentinel"] : [])],
    environment,
    cwd: home,
    logFile,
    ready: () => (isTls ? logsReady(logFile) : answered(port, password)),
  });
  return supervised(toComponent(`redis://127.0.0.1:${port}`, running));
}

async function logsReady(logFile: string): Promise<void> {
  if (!readFileSync(logFile, "utf8").includes("Ready to accept connections")) throw new Error("not ready yet");
}

/** Asks a server once, and throws if it does not answer. */
export async function ask<T>(port: number, password: string, question: (redis: Redis) => Promise<T>): Promise<T> {
  const options = { host: "127.0.0.1", port, password, retryStrategy: () => null, maxRetriesPerRequest: 0 };
  const redis = new Redis({ ...options, lazyConnect: true, enableReadyCheck: false, commandTimeout: 1000 });
  redis.on("error", () => {});
  try {
    await redis.connect();
    return await question(redis);
  } finally {
    redis.disconnect();
  }
}

const answered = (port: number, password: string) => ask(port, password, (redis) => redis.ping());
