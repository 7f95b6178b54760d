import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes, randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { Gantry } from "@gantry/client";
import { type Db, deriveInstallationKeys, nextId, Vault } from "@gantry/db";
import { callbackToken } from "@gantry/requests";
import { createAwsAccount } from "../test/support/account.js";
import { createEnvironment, createServer, REGION } from "../test/support/api.js";
import { awsEndpoint, cloneDatabase, type TestDatabase, testEnv } from "../test/support/stack.js";
import { until } from "../test/support/until.js";
import { type App, startApp } from "./processes.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "gantry-rotate-master-key-"));
const [old, next] = [randomBytes(32), randomBytes(32)].map((key) => key.toString("base64")) as [string, string];

let database: TestDatabase;
let db: Db;
let first: FirstKeys;
let apps: App[] = [];
beforeEach(async () => {
  database = await cloneDatabase();
  db = database.db;
  first = (await bootstrap(db, testEnv(database, { MASTER_KEY: old }))) as FirstKeys;
});
afterEach(async () => {
  await Promise.all(apps.map((app) => app.stop()));
  apps = [];
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** The command of docs/keys.md, without the preparation of a clone. */
function start(masterKey: string, ...words: string[]): ChildProcess {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME, DATABASE_URL: database.url, MASTER_KEY: masterKey };
  const program = ["--conditions=gantry-source", "--import", "tsx", "apps/api/src/rotate-master-key.ts", ...words];
  return spawn(process.execPath, program, { cwd: root, env, stdio: ["ignore", "pipe", "inherit"] });
}

async function run(masterKey: string, ...words: string[]): Promise<{ code: number; out: string }> {
  const child = start(masterKey, ...words);
  const [out, [code]] = await Promise.all([
    text(child.stdout as NonNullable<typeof child.stdout>),
    once(child, "exit"),
  ]);
  return { code, out };
}

/** The numbers of secrets that a dry run finds encrypted with each key of MASTER_KEY, the first key's first. */
function secretsOf(dryRun: string): number[] {
  return [...dryRun.matchAll(/^(\d+) secrets are encrypted with key /gm)].map(([, count]) => Number(count));
}

async function addProvider(secret: string): Promise<{ id: number; accountId: string }> {
  const { accountId } = first;
  const id = await nextId(db, "providers");
  const location = { table: "providers", column: "credentials", id: String(id), account: accountId };
  const credentials = await new Vault([Buffer.from(old, "base64")]).encrypt(secret, location);
  await db.provider.create({ data: { id, accountId, type: "aws", externalId: "x", credentials } });
  return { id, accountId };
}

it("changes the master key while the apps run: tokens, secrets, external ids and callbacks stay good", async () => {
  const { accessKeyId, secretAccessKey, accountId: awsAccountId } = await createAwsAccount();
  const { id: providerId } = await addProvider(JSON.stringify({ accessKeyId, secretAccessKey }));
  const provider = await db.provider.update({ where: { id: providerId }, data: { provisionedId: awsAccountId } });
  const region = { locationId: REGION, locationName: REGION };
  await db.providerLocation.create({
    data: { id: randomUUID(), accountId: first.accountId, providerId, ...region },
  });
  const environment = await createEnvironment(db, provider);
  const location = { table: "environments", column: "internal_private_key", id: String(environment.id) };
  const vault = new Vault([Buffer.from(old, "base64")]);
  const internalPrivateKey = await vault.encrypt("the private key", { ...location, account: first.accountId });
  await db.environment.update({ where: { id: environment.id }, data: { internalPrivateKey } });
  const server = await createServer(db, environment);
  const callbackId = randomUUID();
  const sleeping = { nextRunAt: new Date(Date.now() + 3_600_000), deadlineAt: new Date(Date.now() + 7_200_000) };
  const of = { accountId: first.accountId, resourceType: "server", resourceId: String(server.id), input: {} };
  // A type that no worker knows: only its server reports to it.
  await db.request.create({ data: { id: callbackId, type: "unknown", traceId: "", ...of, ...sleeping } });
  const callback = callbackToken(deriveInstallationKeys(Buffer.from(old, "base64")).callbacks, callbackId);

  const externalIds = new Set<string>();
  // The middle step of the guide, with the old key first, makes no difference to the apps.
  for (const masterKey of [old, `${next},${old}`]) externalIds.add(await useApps(masterKey));
  const done = await run(`${next},${old}`);
  expect([done.code, done.out]).toEqual([0, expect.stringContaining("You can remove every key except the first")]);
  externalIds.add(await useApps(next));
  expect(externalIds.size).toBe(1);

  /** Has an API and a worker with this MASTER_KEY, in the place of those before, use all that depends on keys. */
  async function useApps(masterKey: string): Promise<string> {
    const { DATABASE_URL, REDIS_URL, QUEUE_PREFIX } = testEnv(database);
    const settings = {
      DATABASE_URL,
      REDIS_URL,
      QUEUE_PREFIX,
      AWS_ENDPOINT_URL: awsEndpoint,
      MASTER_KEY: masterKey,
      PORT: "0",
    };
    const started = await Promise.all([startApp("api", settings, folder), startApp("worker", settings, folder)]);
    await Promise.all(apps.map((app) => app.stop()));
    apps = started;
    const { listening } = started[0].ready as { listening: number };
    const gantry = new Gantry({ baseUrl: `http://127.0.0.1:${listening}`, token: first.token });
    expect((await gantry.environments.get(environment)).internal_private_key).toBe("the private key");
    await gantry.requests.reportTo(callbackId, { token: callback, status: "progress", message: "up" });
    const check = await gantry.providers.check(provider, { region: REGION });
    await check.done();
    const checks = await gantry.requests.checks(check);
    expect(checks).toContainEqual(expect.objectContaining({ check: "credentials", result: "ok" }));
    return await gantry.accounts.externalId(first.accountId);
  }
});

it("continues after a kill: rewritten secrets can be decrypted, and the next run rewrites the rest", async () => {
  const providers = [];
  for (let i = 0; i < 5; i++) providers.push(await addProvider(`secret ${i}`));
  const third = providers[2]?.id as number;
  const [all = 0] = secretsOf((await run(old, "--dry-run")).out);
  await db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT id FROM providers WHERE id = ${third} FOR UPDATE`;
      const child = start(`${next},${old}`);
      await until(async () => (await waiting()) > 0);
      child.kill("SIGKILL");
      await once(child, "exit");
      // The killed run's statement still waits in the database, and would end with the row's lock.
      await db.$executeRaw`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    },
    { timeout: 300_000 },
  );
  const half = await run(`${next},${old}`, "--dry-run");
  const [rewritten = 0, left = 0] = secretsOf(half.out);
  expect([half.code, rewritten > 0, left > 0, rewritten + left]).toEqual([1, true, true, all]);
  const rest = await run(`${next},${old}`);
  expect([rest.code, rest.out]).toEqual([0, expect.stringMatching(`^${left} secrets rewritten`)]);
  expect((await run(next)).code).toBe(0);

  async function waiting(): Promise<number> {
    const rows = await db.$queryRaw`SELECT pid FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock'`;
    return (rows as unknown[]).length;
  }
});

it("exits with 1 if a secret is encrypted with a missing key, and with 2 if MASTER_KEY decrypts nothing", async () => {
  await addProvider("hush");
  expect((await run(`${next},${old}`)).code).toBe(0);
  await addProvider("encrypted with the old key only");
  const { code, out } = await run(next);
  expect([code, out]).toEqual([
    1,
    expect.stringContaining("1 secrets are encrypted with a key that is not in MASTER_KEY"),
  ]);
  expect((await run(old)).code).toBe(2);
});

it("runs by each command of the guide on keys", async () => {
  await addProvider("hush");
  const guide = readFileSync(join(root, "docs/keys.md"), "utf8");
  const commands = [...guide.matchAll(/^ *(npm run rotate-master-key.*)$/gm)].map(([, command]) => command as string);
  expect(commands).toEqual(["npm run rotate-master-key -- --dry-run", "npm run rotate-master-key"]);
  const env = { ...process.env, DATABASE_URL: database.url, MASTER_KEY: `${next},${old}` };
  const [all = 0] = secretsOf((await run(old, "--dry-run")).out);
  expect(all).toBeGreaterThan(0);
  for (const command of commands) {
    const child = spawn(command, { cwd: root, env, shell: true, stdio: ["ignore", "pipe", "inherit"] });
    const [out] = await Promise.all([text(child.stdout as NonNullable<typeof child.stdout>), once(child, "exit")]);
    if (command.includes("--dry-run")) expect(secretsOf(out)).toEqual([0, all]);
    else expect([out, secretsOf(out)]).toEqual([expect.stringContaining(`\n${all} secrets rewritten`), [all, 0]]);
  }
});
