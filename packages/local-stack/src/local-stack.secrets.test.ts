import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Redis } from "ioredis";
import pg from "pg";
import { startPostgres } from "./components/postgres.js";
import { findProgram } from "./components/programs.js";
import { startRedis } from "./components/redis.js";
import { startLocalStack } from "./local-stack.js";
import { cache, environment, temporaryFolder } from "./testing.js";

let folder: string;
let clear: () => void;
beforeEach(() => {
  ({ folder, clear } = temporaryFolder());
});
afterEach(() => clear());

const CANARIES = {
  MASTER_KEY: "canary-master",
  AWS_SECRET_ACCESS_KEY: "canary-aws",
  GANTRY_TOKEN: "canary-token",
  HTTPS_PROXY: "canary-p",
};

const onLinux = process.platform === "linux" ? it : it.skip;

/** The answer to another password than that of the address. */
async function refusalOf(url: string): Promise<string> {
  const guess = new URL(url);
  guess.password = "guessed";
  const client = new pg.Client(guess.toString());
  return client.connect().then(
    () => client.end().then(() => "none"),
    ({ message }: Error) => message,
  );
}

/** The environment of the server, as a program that it starts sees it: the memory that /proc shows may be blank. */
async function environmentOfPostgres(url: string): Promise<string> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query("CREATE TEMPORARY TABLE seen (line text)");
    await client.query("COPY seen FROM PROGRAM 'env | base64'");
    const { rows } = await client.query<{ line: string }>("SELECT line FROM seen");
    return Buffer.from(rows.map(({ line }) => line).join(""), "base64").toString();
  } finally {
    await client.end();
  }
}

/** Puts a program before `name` on PATH that writes its environment to a file, and then becomes the real one. */
function recordEnvironmentOf(name: string, file: string): void {
  const real = findProgram([name], environment);
  if (real) writeFileSync(join(folder, name), `#!/bin/sh\nenv > '${file}'\nexec '${real}' "$@"\n`, { mode: 0o755 });
}

// Other systems show no environment and no arguments below /proc.
onLinux("gives no secret of its environment to any process, and no password to arguments", async () => {
  // A native server of the Redis protocol writes its title over the memory that /proc shows, as PostgreSQL does.
  const recorded = join(folder, "redis.env");
  for (const name of ["redis-server", "valkey-server"]) recordEnvironmentOf(name, recorded);
  const PATH = [folder, environment.PATH].join(delimiter);
  const given = { ...environment, ...CANARIES, PATH };
  const stack = await startLocalStack({ folder, environment: given, cache, fsync: false });
  try {
    expect(stack.processes.map(({ name }) => name).sort()).toEqual(["aws-proxy", "moto", "postgres", "redis"]);
    const environmentOf = async (name: string, pid: number) => {
      if (name === "postgres") return environmentOfPostgres(stack.databaseUrl);
      return readFileSync(name === "redis" && existsSync(recorded) ? recorded : `/proc/${pid}/environ`, "utf8");
    };
    const passwords = [stack.databaseUrl, stack.redisUrl].map((url) => new URL(url).password);
    for (const { name, pid } of stack.processes) {
      const own = await environmentOf(name, pid);
      const visible = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      expect([name, own.includes("canary-"), passwords.some((password) => visible.includes(password))]).toEqual([
        name,
        false,
        false,
      ]);
      expect(own).toContain("PATH=");
    }
  } finally {
    await stack.stop();
  }
});

it("starts PostgreSQL and Redis with passwords, and logs that only their owner can read", async () => {
  const database = await startPostgres({ folder, environment, fsync: false });
  const redis = await startRedis({ folder, environment });
  try {
    expect(await refusalOf(database.url)).toMatch(/password authentication failed/);
    const { port } = new URL(redis.url);
    const guest = new Redis(Number(port), "127.0.0.1", { lazyConnect: true, maxRetriesPerRequest: 0 });
    guest.on("error", () => {});
    await expect(guest.set("a", "b")).rejects.toThrow(/NOAUTH|Authentication/);
    guest.disconnect();
    const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThanOrEqual(4);
    for (const { name } of files) expect([name, statSync(join(folder, name)).mode & 0o077]).toEqual([name, 0]);
  } finally {
    await Promise.all([database.stop(), redis.stop()]);
  }
});
