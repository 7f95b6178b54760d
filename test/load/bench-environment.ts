import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap, mintToken, tokenDigest } from "@gantry/api";
import { applyMigrations, connectDb, type Db, deriveInstallationKeys, nextId, Scope, Vault } from "@gantry/db";
import {
  type AwsAccount,
  type AwsControl,
  type NodeProcess,
  startLocalStack,
  startNodeProcess,
} from "@gantry/local-stack";
import { type Env, readEnv } from "@gantry/runtime";
import { WORKER } from "./build.js";

export const REGION = "us-east-1";
export const ZONES = ["a", "b", "c", "d", "e", "f"].map((letter) => `${REGION}${letter}`);

/** A running process with the URL of its HTTP server, if any. */
export interface LaunchedProcess extends NodeProcess {
  url: string;
}

/** An account with a provider in its own AWS account, and its owner's token. */
export interface Tenant {
  awsAccount: AwsAccount;
  accountId: string;
  userId: string;
  providerId: number;
  token: string;
}

/** A local stack, a migrated database, and a tenant. */
export interface BenchEnvironment extends Tenant {
  db: Db;
  databaseUrl: string;
  redisUrl: string;
  aws: AwsControl;
  awsEndpoint: string;
  /** The processes of PostgreSQL, Redis and AWS, if this environment started them. */
  stackProcesses: { name: string; pid: number }[];
  addTenant(): Promise<Tenant>;
  /**
   * Starts a file of this repository, or a file URL, with the settings of production, and waits until it is ready. Appends
   * its stdout to `logFile`.
   */
  launch(file: string, args?: string[], more?: Record<string, string>, logFile?: string): Promise<LaunchedProcess>;
  /** Removes all networks and Requests. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

const root = new URL("../..", import.meta.url);
const dockerfile = readFileSync(new URL("docker/Dockerfile", root), "utf8");
/** What the images set for the use of memory. */
const imageEnvironment = Object.fromEntries(
  [...dockerfile.matchAll(/\b(MALLOC_\w+)=(\w+)/g)].map(([, name, value]) => [name, value]),
);
const workerOptions = [...dockerfile.matchAll(/"(--[\w=-]+)", "apps\/worker/g)].map(([, option]) => option as string);
if (Object.keys(imageEnvironment).length === 0 || workerOptions.length === 0)
  throw new Error("docker/Dockerfile sets the use of memory in another way");

/** @param profiles the folder of the processes' CPU profiles; undefined for no profiles */
export async function startBenchEnvironment(profiles?: string): Promise<BenchEnvironment> {
  const { PATH, HOME, DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...inherited } = process.env;
  const folder = join(tmpdir(), `gantry-bench-${process.pid}`);
  const cache = fileURLToPath(new URL(".gantry/python", root));
  const environment = { PATH, HOME, ...inherited };
  const stack = await startLocalStack({ folder, environment, ephemeral: true, fsync: true, cache });
  const running: LaunchedProcess[] = [];
  let launches = 0;
  try {
    const { aws } = stack;
    if (!aws) throw new Error("the benchmark needs an emulated AWS");
    await applyMigrations(stack.databaseUrl, fileURLToPath(new URL("prisma/migrations", root)));
    const settings = {
      NODE_ENV: "production",
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl,
      AWS_ENDPOINT_URL: stack.awsEndpoint,
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      RATE_LIMIT_PER_MINUTE: "100000000",
      OPEN_REQUESTS_PER_ACCOUNT: "1000000",
      AWS_RATE_SHARE: "1000",
      WEBHOOK_PRIVATE_ADDRESSES: "127.0.0.0/8,::1/128",
      PORT: "0",
      ...imageEnvironment,
    };
    const db = connectDb(stack.databaseUrl, 2);
    const masterKey = readEnv(settings).MASTER_KEY;
    const first = await addProvider(db, aws, masterKey, await createFirstOwner(db, masterKey));
    const addTenant = async () => addProvider(db, aws, masterKey, await createOwner(db, masterKey));
    const launch: BenchEnvironment["launch"] = async (file, args = [], more = {}, logFile) => {
      const started = await startNodeProcess(fileURLToPath(new URL(file, root)), {
        args,
        environment: { PATH, HOME, ...settings, ...more },
        cwd: fileURLToPath(root),
        nodeOptions: [
          ...(file === WORKER ? workerOptions : []),
          ...(profiles
            ? [
                "--cpu-prof",
                `--cpu-prof-dir=${profiles}`,
                `--cpu-prof-name=${++launches}-${file.split("/")[1]}.cpuprofile`,
              ]
            : []),
        ],
        stdout: logFile ?? "ignore",
      });
      const { listening } = started.ready as { listening?: number };
      const launched = { ...started, url: `http://127.0.0.1:${listening}` };
      running.push(launched);
      return launched;
    };
    const stop = async () => {
      await Promise.all(running.map((started) => started.stop()));
      await db.$disconnect();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    };
    const clear = async () => {
      await db.$executeRaw`TRUNCATE networks, requests, events CASCADE`;
    };
    return {
      db,
      databaseUrl: stack.databaseUrl,
      redisUrl: stack.redisUrl,
      aws,
      awsEndpoint: stack.awsEndpoint,
      stackProcesses: stack.processes,
      ...first,
      addTenant,
      launch,
      clear,
      stop,
    };
  } catch (error) {
    await Promise.all(running.map((started) => started.stop()));
    await stack.stop();
    throw error;
  }
}

type Owner = Pick<Tenant, "accountId" | "userId" | "token">;

async function createFirstOwner(db: Db, masterKey: Env["MASTER_KEY"]): Promise<Owner> {
  const keys = await bootstrap(db, { MASTER_KEY: masterKey });
  if (!keys) throw new Error("the database is not empty");
  const { accountId, email, token } = keys;
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  return { accountId, userId, token };
}

async function createOwner(db: Db, masterKey: Env["MASTER_KEY"]): Promise<Owner> {
  const [accountId, userId, token] = [randomUUID(), randomUUID(), mintToken()];
  await db.account.create({ data: { id: accountId, name: "Another" } });
  await db.user.create({ data: { id: userId, name: "Another", email: `${userId}@example.com`, passwordHash: "" } });
  await db.membership.create({ data: { id: randomUUID(), accountId, userId, role: "owner" } });
  const digest = tokenDigest(deriveInstallationKeys(masterKey[0] as Uint8Array).tokens)(token);
  await db.token.create({ data: { id: randomUUID(), userId, name: "first", digest, scopes: Object.values(Scope) } });
  return { accountId, userId, token };
}

async function addProvider(db: Db, aws: AwsControl, masterKey: Env["MASTER_KEY"], owner: Owner): Promise<Tenant> {
  const { accountId } = owner;
  const awsAccount = await aws.createAccount();
  const providerId = await nextId(db, "providers");
  const { accessKeyId, secretAccessKey } = awsAccount;
  const secret = { table: "providers", column: "credentials", id: String(providerId), account: accountId };
  const credentials = await new Vault(masterKey).encrypt(JSON.stringify({ accessKeyId, secretAccessKey }), secret);
  const provider = { id: providerId, accountId, type: "aws", externalId: randomUUID(), credentials };
  await db.provider.create({ data: { ...provider, provisionedId: awsAccount.accountId } });
  const location = (locationId: string) => ({ accountId, providerId, locationId, locationName: locationId });
  const parentId = randomUUID();
  await db.providerLocation.create({ data: { id: parentId, ...location(REGION) } });
  const zones = ZONES.map((zone) => ({ id: randomUUID(), parentId, ...location(zone) }));
  await db.providerLocation.createMany({ data: zones });
  return { ...owner, awsAccount, providerId };
}
