import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap, createConsoleCode, type FirstKeys, mintToken, tokenDigest } from "@gantry/api";
import { connectDb, type Db, type InstallationKeys, loadInstallationKeys, prepareDatabase, Scope } from "@gantry/db";
import {
  appDatabaseUrl,
  type LocalStack,
  type LocalStackOptions,
  PortInUse,
  startLocalStack,
  startOnPort,
} from "@gantry/local-stack";
import { ownerDatabaseUrl, readEnv, whyServersCannotReport } from "@gantry/runtime";
import { v7 as uuidv7 } from "uuid";
import { type App, startApp } from "./processes.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

export interface LocalGantryOptions {
  /** The folder of data, logs and keys, below `.gantry`. */
  name: string;
  /** Keeps no data after `stop`. */
  ephemeral?: boolean;
  workers?: number;
  /** What the emulated AWS offers; the values of today and of the specification if absent. */
  catalogue?: LocalStackOptions["catalogue"];
  /** Uses AWS itself instead of an emulator. */
  realAws?: boolean;
  /** Restarts the API and the workers on a change of their sources, and logs to the terminal. */
  isWatched?: boolean;
  report?: (sentence: string) => void;
}

/** A running Gantry on this machine. */
export interface LocalGantry {
  baseUrl: string;
  /** The first user's token with every scope. */
  token: string;
  account: string;
  /** The first user's keys; undefined on later starts. */
  firstKeys: FirstKeys | undefined;
  /** Makes a link that opens the console as the first user, once and within a minute; undefined without a built console. */
  linkToConsole(): Promise<string | undefined>;
  /** The reason why new servers will be refused; undefined if they can be made. */
  warning: string | undefined;
  /** The addresses of the metrics of the API and of each worker; empty unless METRICS_PORT is set. */
  metrics: string[];
  /** The database's address for the apps. */
  databaseUrl: string;
  /** The database's address for the owner of its tables. */
  ownerUrl: string;
  stack: LocalStack;
  apps: App[];
  stop(): Promise<void>;
}

const TOKEN_NAME = "local";

/** Starts PostgreSQL, Redis and AWS, or uses those in the environment; then starts the API and the workers. */
export async function startLocalGantry(options: LocalGantryOptions): Promise<LocalGantry> {
  const {
    name,
    ephemeral = false,
    workers = 1,
    realAws = false,
    isWatched = false,
    catalogue = "both",
    report = () => {},
  } = options;
  const folder = join(root, ".gantry", name);
  const chosen = Number(process.env.PORT || (ephemeral ? 0 : 3000));
  const isInUse = `Port ${chosen} is in use. Set PORT to another port, or to 0 for a free one.`;
  if (chosen !== 0 && !(await isFree(chosen))) throw new Error(isInUse);
  const environment = realAws ? { ...process.env, AWS_ENDPOINT_URL: "real AWS" } : process.env;
  const key = masterKey(ephemeral ? undefined : join(folder, "master.key"));
  const given = process.env.DATABASE_URL;
  const created: { database?: Awaited<ReturnType<typeof createDatabase>> } = {};
  const prepare = async (url: string) => {
    created.database = await createDatabase({ url, given, folder, key });
  };
  const stack = await startLocalStack({ folder, environment, ephemeral, catalogue, report, prepareDatabase: prepare });
  const apps: App[] = [];
  const stop = async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await stack.stop();
  };
  try {
    if (!created.database) throw new Error("The database was not prepared.");
    const { databaseUrl, ownerUrl, access } = created.database;
    const env = {
      DATABASE_URL: databaseUrl,
      REDIS_URL: stack.redisUrl,
      // The SDK uses AWS itself without an endpoint; an empty one counts as unset.
      AWS_ENDPOINT_URL: realAws ? "" : stack.awsEndpoint,
      MASTER_KEY: key,
      // Receivers of webhooks run on the same laptop.
      WEBHOOK_PRIVATE_ADDRESSES: process.env.WEBHOOK_PRIVATE_ADDRESSES || "127.0.0.0/8,::1/128",
      // The emulator shows new objects at once.
      ...(stack.aws && { AWS_VISIBILITY_SECONDS: process.env.AWS_VISIBILITY_SECONDS || "0" }),
      ...(stack.aws && { SHARED_PROVIDER: sharedProvider() }),
    };
    const identity = stack.aws && (await emulatedIdentity(stack.aws));
    const logs = isWatched ? undefined : join(root, ".gantry", "logs", name);
    const startApps = async (port: number) => {
      const baseUrl = `http://127.0.0.1:${port}`;
      // Set before the API listens: its links follow BASE_URL and not the Host header of a caller.
      const settings = { ...env, PORT: String(port), BASE_URL: process.env.BASE_URL || baseUrl };
      const results = await Promise.allSettled([
        startApp("api", settings, logs, { isWatched }),
        ...Array.from({ length: workers }, (_, index) =>
          startApp("worker", { ...settings, ...identity, ...metricsPort(index + 1) }, logs, { isWatched }),
        ),
      ]);
      const running = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
      const failed = results.find((result) => result.status === "rejected");
      if (failed) {
        await Promise.all(running.map((app) => app.stop()));
        throw failed.reason;
      }
      return { baseUrl, settings, running };
    };
    const { baseUrl, settings, running } = await startOnPort({ port: chosen || undefined }, startApps).catch(
      (error) => {
        throw chosen !== 0 && error instanceof PortInUse ? new Error(isInUse) : error;
      },
    );
    apps.push(...running);
    const warning = whyServersCannotReport(readEnv({ ...process.env, ...settings }));
    const metrics = metricsUrls(1 + workers);
    const linkToConsole = () => consoleLink(baseUrl, databaseUrl, key);
    return { baseUrl, databaseUrl, ownerUrl, ...access, linkToConsole, warning, metrics, stack, apps, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

interface NewDatabase {
  url: string;
  /** DATABASE_URL, if it is set. */
  given: string | undefined;
  folder: string;
  key: string;
}

/** Creates the tables, the apps' user and the first user, or brings them up to date. */
async function createDatabase({ url, given, folder, key }: NewDatabase) {
  const databaseUrl = given || appDatabaseUrl(url, folder);
  const ownerUrl = given ? ownerDatabaseUrl({ ...process.env, DATABASE_URL: given }) : url;
  await prepareDatabase(ownerUrl, databaseUrl, join(root, "prisma", "migrations"));
  return { databaseUrl, ownerUrl, access: await createFirstAccess(databaseUrl, key) };
}

/** The metrics port of the API, 0, or of a worker, from 1 on: all run on this machine, each on the next port. */
function metricsPort(order: number): Record<string, string> {
  const first = Number(process.env.METRICS_PORT);
  return first > 0 ? { METRICS_PORT: String(first + order) } : {};
}

/** The addresses at which the API and the workers show their metrics. */
function metricsUrls(processes: number): string[] {
  const ports = Array.from({ length: processes }, (_, index) => metricsPort(index).METRICS_PORT);
  return ports.flatMap((port) => (port ? [`http://127.0.0.1:${port}/metrics`] : []));
}

/** The emulated AWS account of the workers can be shared, unless roles in it may be providers. */
function sharedProvider(): string {
  const { SHARED_PROVIDER, PROVIDERS_IN_OWN_ACCOUNT } = process.env;
  return SHARED_PROVIDER || (PROVIDERS_IN_OWN_ACCOUNT === "allowed" ? "refused" : "allowed");
}

/**
 * An identity of the workers in its own AWS account. Real keys and profiles of this machine stay away from the
 * emulator.
 */
async function emulatedIdentity(aws: NonNullable<LocalStack["aws"]>): Promise<Record<string, string>> {
  const { accessKeyId, secretAccessKey } = await aws.createAccount();
  const keys = { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey };
  return { ...keys, AWS_SESSION_TOKEN: "", AWS_PROFILE: "" };
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, "127.0.0.1");
  try {
    await once(server, "listening");
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
}

/** Writes the URLs and the token to a file that only its owner can read; returns a function that removes the file. */
export function writeConnectionFile(gantry: LocalGantry): () => void {
  const file = join(root, ".gantry", "local.json");
  const { stack, apps } = gantry;
  const connection = {
    base_url: gantry.baseUrl,
    token: gantry.token,
    account: gantry.account,
    database_url: gantry.databaseUrl,
    database_owner_url: gantry.ownerUrl,
    redis_url: stack.redisUrl,
    aws_endpoint: stack.awsEndpoint,
    processes: [...stack.processes, ...apps.map(({ name, pid }) => ({ name, pid }))],
  };
  writeFileSync(file, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 });
  chmodSync(file, 0o600);
  return () => rmSync(file, { force: true });
}

/** Returns the key of development secrets: a new one, which the file keeps for later starts. */
function masterKey(file: string | undefined): string {
  if (process.env.MASTER_KEY) return process.env.MASTER_KEY;
  if (!file) return randomBytes(32).toString("base64");
  if (!existsSync(file)) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, randomBytes(32).toString("base64"), { mode: 0o600 });
  }
  return readFileSync(file, "utf8");
}

async function createFirstAccess(databaseUrl: string, key: string) {
  const env = readEnv({ DATABASE_URL: databaseUrl, MASTER_KEY: key });
  const db = connectDb(databaseUrl, 2);
  try {
    const firstKeys = await bootstrap(db, env);
    if (firstKeys) return { firstKeys, token: firstKeys.token, account: firstKeys.accountId };
    return { firstKeys: undefined, ...(await replaceToken(db, await loadInstallationKeys(db, env.MASTER_KEY))) };
  } finally {
    await db.$disconnect();
  }
}

function firstUser(db: Db) {
  return db.user.findFirstOrThrow({ orderBy: { createdAt: "asc" }, include: { memberships: true } });
}

async function consoleLink(baseUrl: string, databaseUrl: string, key: string): Promise<string | undefined> {
  if (!existsSync(process.env.CONSOLE_FILES || join(root, "apps", "console", "dist"))) return undefined;
  const env = readEnv({ DATABASE_URL: databaseUrl, MASTER_KEY: key });
  const db = connectDb(databaseUrl, 1);
  try {
    const { tokens } = await loadInstallationKeys(db, env.MASTER_KEY);
    const { id } = await firstUser(db);
    return `${baseUrl}/console/#sign-in=${await createConsoleCode(db, { digest: tokenDigest(tokens) }, id)}`;
  } finally {
    await db.$disconnect();
  }
}

// The database has only a token's digest: each start replaces the token of the first user's scripts.
async function replaceToken(db: Db, keys: InstallationKeys) {
  const user = await firstUser(db);
  const token = mintToken();
  await db.token.deleteMany({ where: { userId: user.id, name: TOKEN_NAME } });
  const digest = tokenDigest(keys.tokens)(token);
  await db.token.create({
    data: { id: uuidv7(), userId: user.id, name: TOKEN_NAME, digest, scopes: Object.values(Scope) },
  });
  return { token, account: user.memberships[0]?.accountId ?? "" };
}
