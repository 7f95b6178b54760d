import { type ChildProcess, fork } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { applyMigrations, type Db, nextId, openDb, Vault } from "@gantry/db";
import { type AwsAccount, type AwsControl, startLocalStack } from "@gantry/local-stack";
import { type Env, readEnv } from "@gantry/runtime";
import { bootstrap } from "../../apps/api/src/bootstrap.js";

export const REGION = "us-east-1";
export const ZONES = ["a", "b", "c", "d", "e", "f"].map((letter) => `${REGION}${letter}`);

/** A running process; one that serves HTTP has a port. */
export interface Running {
  url: string;
  stop(): Promise<void>;
}

/** Servers of the benchmark's own, a migrated database, and an account with a provider and a token. */
export interface Stage {
  db: Db;
  aws: AwsControl;
  awsEndpoint: string;
  awsAccount: AwsAccount;
  accountId: string;
  userId: string;
  providerId: number;
  token: string;
  /** Starts a TypeScript file of this repository, with the settings of production, and waits until it is ready. */
  launch(file: string, args?: string[], more?: Record<string, string>): Promise<Running>;
  /** Forgets all networks, Requests and bells. */
  clear(): Promise<void>;
  stop(): Promise<void>;
}

const root = new URL("../../", import.meta.url);

/** @param profiles a folder for a CPU profile of each process, if wanted */
export async function setStage(profiles?: string): Promise<Stage> {
  process.env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED = "true";
  const { PATH, HOME, DATABASE_URL: _, REDIS_URL: __, AWS_ENDPOINT_URL: ___, ...inherited } = process.env;
  const folder = join(tmpdir(), `gantry-bench-${process.pid}`);
  const cache = fileURLToPath(new URL(".gantry/python", root));
  const environment = { PATH, HOME, ...inherited };
  const stack = await startLocalStack({ folder, environment, ephemeral: true, fsync: true, cache });
  const running: Running[] = [];
  try {
    const { aws } = stack;
    if (!aws) throw new Error("the benchmark needs an emulator of its own");
    await applyMigrations(stack.databaseUrl, fileURLToPath(new URL("prisma/migrations", root)));
    const settings = {
      NODE_ENV: "production",
      AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl,
      AWS_ENDPOINT_URL: stack.awsEndpoint,
      MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
      RATE_LIMIT_PER_MINUTE: "100000000",
      PORT: "0",
    };
    const db = openDb(stack.databaseUrl, 2);
    const seeded = await seed(db, aws, readEnv(settings).MASTER_KEY);
    const launch = async (file: string, args: string[] = [], more: Record<string, string> = {}) => {
      const started = await launchNode(file, args, { PATH, HOME, ...settings, ...more }, profiles);
      running.push(started);
      return started;
    };
    const stop = async () => {
      await Promise.all(running.map((started) => started.stop()));
      await db.$disconnect();
      await stack.stop();
      await rm(folder, { recursive: true, force: true });
    };
    const clear = async () => {
      await db.$executeRaw`TRUNCATE networks, requests CASCADE`;
    };
    return { db, aws, awsEndpoint: stack.awsEndpoint, ...seeded, launch, clear, stop };
  } catch (error) {
    await Promise.all(running.map((started) => started.stop()));
    await stack.stop();
    throw error;
  }
}

async function seed(db: Db, aws: AwsControl, masterKey: Env["MASTER_KEY"]) {
  const keys = await bootstrap(db, { MASTER_KEY: masterKey });
  if (!keys) throw new Error("the database is not empty");
  const { accountId, email, token } = keys;
  const { id: userId } = await db.user.findUniqueOrThrow({ where: { email } });
  const awsAccount = await aws.createAccount();
  const providerId = await nextId(db, "providers");
  const { accessKeyId, secretAccessKey } = awsAccount;
  const place = { table: "providers", column: "credentials", id: String(providerId), account: accountId };
  const credentials = await new Vault(masterKey).seal(JSON.stringify({ accessKeyId, secretAccessKey }), place);
  const provider = { id: providerId, accountId, type: "aws", externalId: randomUUID(), credentials };
  await db.provider.create({ data: { ...provider, provisionedId: awsAccount.accountId } });
  const location = (locationId: string) => ({ accountId, providerId, locationId, locationName: locationId });
  const parentId = randomUUID();
  await db.providerLocation.create({ data: { id: parentId, ...location(REGION) } });
  const zones = ZONES.map((zone) => ({ id: randomUUID(), parentId, ...location(zone) }));
  await db.providerLocation.createMany({ data: zones });
  return { accountId, userId, token, awsAccount, providerId };
}

async function launchNode(
  file: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  profiles: string | undefined,
): Promise<Running> {
  const profiling = profiles ? ["--cpu-prof", `--cpu-prof-dir=${profiles}`] : [];
  const execArgv = ["--conditions=source", "--import", "tsx", ...profiling];
  const stdio = ["ignore", "ignore", "inherit", "ipc"] as const;
  const child = fork(new URL(file, root), args, { execArgv, env, cwd: fileURLToPath(root), stdio: [...stdio] });
  const killed = () => child.kill("SIGKILL");
  process.once("exit", killed);
  const ended = once(child, "exit");
  const message = await Promise.race([once(child, "message"), ended.then(() => undefined)]);
  if (!message) throw new Error(`${file} ended before it was ready`);
  const port = (message[0] as { listening?: number }).listening;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      if (isRunning(child)) child.kill("SIGTERM");
      await ended;
      process.off("exit", killed);
    },
  };
}

function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}
