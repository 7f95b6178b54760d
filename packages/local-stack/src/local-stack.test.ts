import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Redis } from "ioredis";
import pg from "pg";
import { startPostgres } from "./components/postgres.js";
import { packagedPostgres } from "./components/postgres-binaries.js";
import { postgresOwner, removeOwnedFolder } from "./components/postgres-owner.js";
import { startRedis } from "./components/redis.js";
import { type LocalStack, startLocalStack } from "./local-stack.js";
import { startTimeOf } from "./processes/identity.js";
import { cache, environment, temporaryFolder, until } from "./testing.js";

let folder: string;
let clear: () => void;
const stacks: LocalStack[] = [];

beforeEach(() => {
  ({ folder, clear } = temporaryFolder());
});
afterEach(async () => {
  await Promise.all(stacks.splice(0).map((stack) => stack.stop()));
  clear();
});

async function start(options: Partial<Parameters<typeof startLocalStack>[0]> = {}): Promise<LocalStack> {
  const stack = await startLocalStack({ folder, environment, cache, fsync: false, ...options });
  stacks.push(stack);
  return stack;
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client(url);
  await client.connect();
  return client
    .query<Row>(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Runs a module in its own process until its first message. */
async function startParent(source: string) {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
  const args = ["--conditions=gantry-source", "--import", tsx, "--input-type=module", "-e", source];
  const parent = spawn(process.execPath, args, { env: environment, stdio: ["ignore", "ignore", "inherit", "ipc"] });
  const message = await new Promise<string>((resolve, reject) => {
    parent.once("message", (message) => resolve(String(message)));
    parent.once("exit", () => reject(new Error("The parent ended before its first message.")));
  });
  return { parent, message };
}

it("starts PostgreSQL, Redis and AWS, and stops them all", async () => {
  const stack = await start({ ephemeral: true });
  expect(await query(stack.databaseUrl, "SELECT current_database()")).toEqual([{ current_database: "gantry" }]);
  const redis = new Redis(stack.redisUrl);
  expect(await redis.ping()).toBe("PONG");
  redis.disconnect();
  expect((await stack.aws?.createAccount())?.accountId).toMatch(/^\d{12}$/);
  await stack.stop();
  expect(stack.processes).toHaveLength(4);
  for (const { pid } of stack.processes) expect(startTimeOf(pid)).toBeUndefined();
  expect(readdirSync(folder)).toEqual([]);
});

it("leaves no process running after a kill of its parent, and keeps the data for the next start", async () => {
  const source = `
    import { startLocalStack } from ${JSON.stringify(new URL("./local-stack.ts", import.meta.url).href)};
    const stack = await startLocalStack(${JSON.stringify({ folder, environment, cache, fsync: true })});
    process.send(JSON.stringify({ databaseUrl: stack.databaseUrl, processes: stack.processes }));
    setInterval(() => {}, 1000);
  `;
  const { parent, message } = await startParent(source);
  const { databaseUrl, processes } = JSON.parse(message) as Pick<LocalStack, "databaseUrl" | "processes">;
  await query(databaseUrl, "CREATE TABLE kept AS SELECT 42 AS answer");
  const refusal = startLocalStack({ folder, environment, cache });
  await expect(refusal).rejects.toThrow(/already running in .* \(process \d+\)\. Stop it first/);

  parent.kill("SIGKILL");
  await until(() => processes.every(({ pid }) => startTimeOf(pid) === undefined));
  const stack = await start();
  expect(await query(stack.databaseUrl, "SELECT answer FROM kept")).toEqual([{ answer: 42 }]);
});

it("kills a stopped process with its parent", async () => {
  const { parent, message } = await startParent(`
    import { spawn } from "node:child_process";
    import { killOnExit } from ${JSON.stringify(new URL("./index.ts", import.meta.url).href)};
    const { pid } = spawn(process.execPath, ["-e", "setInterval(() => {}, 1000)"], { stdio: "ignore" });
    killOnExit(pid, process.env);
    process.kill(pid, "SIGSTOP");
    process.send(pid);
  `);
  parent.kill("SIGKILL");
  await until(() => startTimeOf(Number(message)) === undefined);
});

it("terminates the processes of a crashed stack before it starts", async () => {
  const orphan = await startPostgres({ folder, environment, fsync: false });
  const record = { name: orphan.name, pid: orphan.pid, started: startTimeOf(orphan.pid), signal: orphan.signal };
  const holder = { pid: 2 ** 22 + 1, started: "never", processes: [record] };
  writeFileSync(join(folder, "stack.json"), JSON.stringify(holder));
  const stack = await start({ environment: { ...environment, REDIS_URL: "redis://r", AWS_ENDPOINT_URL: "http://a" } });
  expect(startTimeOf(orphan.pid)).toBeUndefined();
  expect(await query(stack.databaseUrl, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
});

it("terminates no other process that has reused the pid of a crashed stack's process", async () => {
  const echo = "process.on('message', (message) => process.send(message))";
  const other = spawn(process.execPath, ["-e", echo], { stdio: ["ignore", "ignore", "ignore", "ipc"] });
  const record = { name: "postgres", pid: other.pid, started: "another time", signal: "SIGKILL" };
  writeFileSync(join(folder, "stack.json"), JSON.stringify({ pid: other.pid, started: "then", processes: [record] }));
  const urls = { DATABASE_URL: "postgresql://d", REDIS_URL: "redis://r", AWS_ENDPOINT_URL: "http://a" };
  await start({ environment: { ...environment, ...urls } });
  const response = new Promise((resolve) => {
    other.once("message", resolve);
    other.once("exit", () => resolve("exited"));
  });
  other.send("running", () => undefined);
  expect(await response).toBe("running");
  other.kill();
});

it("uses the URLs of the environment instead of starting components", async () => {
  const urls = { DATABASE_URL: "postgresql://d", REDIS_URL: "redis://r", AWS_ENDPOINT_URL: "http://a" };
  const stack = await start({ environment: { ...environment, ...urls } });
  expect(stack).toMatchObject({ databaseUrl: "postgresql://d", redisUrl: "redis://r", awsEndpoint: "http://a" });
  expect(stack.processes).toEqual([]);
  expect(stack.aws).toBeUndefined();
});

it("reports a missing Python with a remedy, and leaves no process running", async () => {
  const without = { PATH: join(folder, "nothing"), REDIS_URL: "redis://r" };
  const starting = start({ environment: without, cache: join(folder, "cache") });
  await expect(starting).rejects.toThrow(
    "The AWS emulator needs Python 3.10 or newer on PATH (found none): install it, or set AWS_ENDPOINT_URL to an AWS endpoint of yours.",
  );
  expect(existsSync(join(folder, "stack.json"))).toBe(false);
});

it("restarts PostgreSQL and Redis on the same port after a kill", async () => {
  const database = await startPostgres({ folder, environment, fsync: false });
  const redis = await startRedis({ folder, environment });
  await query(database.url, "CREATE TABLE kept AS SELECT 1 AS one");
  await Promise.all([database.kill(), redis.kill()]);
  const port = (url: string) => Number(new URL(url).port);
  const restarted = await Promise.all([
    startPostgres({ folder, environment, fsync: false, port: port(database.url) }),
    startRedis({ folder, environment, port: port(redis.url) }),
  ]);
  expect(restarted.map(({ url }) => url)).toEqual([database.url, redis.url]);
  expect(await query(database.url, "SELECT one FROM kept")).toEqual([{ one: 1 }]);
  await Promise.all(restarted.map((component) => component.stop()));
});

it("starts the PostgreSQL of the npm package", async () => {
  const binaries = packagedPostgres(postgresOwner());
  const database = await startPostgres({ folder, environment, fsync: false, binaries });
  expect(await query(database.url, "SHOW server_version_num")).toEqual([
    { server_version_num: expect.stringMatching(new RegExp(`^${binaries.major}`)) },
  ]);
  await database.stop();
});

it("starts PostgreSQL below a folder that its user cannot enter", async () => {
  const hidden = join(folder, "hidden");
  mkdirSync(hidden, { mode: 0o700 });
  const inside = join(hidden, "data");
  const database = await startPostgres({ folder: inside, environment, fsync: false });
  expect(await query(database.url, "SELECT 1 AS one")).toEqual([{ one: 1 }]);
  await database.stop();
  removeOwnedFolder(inside);
});

it("responds to a single command without waiting for a timer", async () => {
  const server = await startRedis({ folder, environment });
  const redis = new Redis(server.url);
  try {
    // Commands that wait for the timer take 100 ms each in every round; a busy machine only delays some of the rounds.
    const round = async () => {
      const before = performance.now();
      for (let n = 0; n < 5; n += 1) await redis.incr("n");
      return performance.now() - before;
    };
    await until(async () => (await round()) < 250);
  } finally {
    redis.disconnect();
    await server.stop();
  }
});
