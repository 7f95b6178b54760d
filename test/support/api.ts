import { hash, randomUUID } from "node:crypto";
import { type AppDependencies, buildApp, hashPassword, mintToken, tokenDigest } from "@gantry/api";
import {
  connectDb,
  type Db,
  type Environment,
  type Network,
  nextId,
  Prisma,
  type Provider,
  type Role,
  type Scope,
  type Server,
  Vault,
  type Volume,
} from "@gantry/db";
import type { Env } from "@gantry/runtime";
import supertest, { type Test } from "supertest";
import { requireDeclaredAnswer } from "./declared-answer.js";
import { type RecordedJobs, recordJobs } from "./recorded-jobs.js";
import { cloneDatabase, LONG_TIMEOUTS, type TestDatabase, testEnv, testKeys, testLog, testVault } from "./stack.js";

/** The API over its own database, with the Requests that it queued. */
export interface TestApi {
  app: ReturnType<typeof buildApp>["app"];
  observed: ReturnType<typeof buildApp>["observed"];
  db: Db;
  env: Env;
  database: TestDatabase;
  jobs: RecordedJobs;
  /** Ends the application as a shutdown does; its database stays. */
  stop(): Promise<void>;
  close(): Promise<void>;
}

export async function startTestApi(
  changes: Record<string, string> = {},
  dependencies: Partial<AppDependencies> = {},
): Promise<TestApi> {
  const database = await cloneDatabase();
  const env = testEnv(database, { RATE_LIMIT_PER_MINUTE: "100000", ...changes });
  const jobs = recordJobs();
  const vault = new Vault(env.MASTER_KEY);
  // The API runs as the apps' user, as in production.
  const db = connectDb(env.DATABASE_URL, 8, LONG_TIMEOUTS);
  const { app, observed, close } = buildApp({
    env,
    db,
    jobs,
    log: testLog,
    vault,
    keys: testKeys,
    ...dependencies,
  });
  return {
    app,
    observed,
    db: database.db,
    env,
    database,
    jobs,
    stop: close,
    close: async () => {
      await close();
      await db.$disconnect();
      await database.drop();
    },
  };
}

/** Stores the sign-in of a user, as a browser ends it; returns what the terminal sends to get its token. */
export async function createSignIn(db: Db, userId: string) {
  const sent = { code: randomUUID(), code_verifier: randomUUID().repeat(2), redirect_uri: "http://127.0.0.1:49152/" };
  await db.signInCode.create({
    data: {
      digest: tokenDigest(testKeys.tokens)(sent.code),
      userId,
      issuer: "https://id.example.com",
      challenge: hash("sha256", sent.code_verifier, "base64url"),
      redirectUri: sent.redirect_uri,
      expiresAt: new Date(Date.now() + 60_000),
    },
  });
  return sent;
}

/** A caller with a token, and a way to send each kind of input. */
export interface TestCaller {
  userId: string;
  accountId: string;
  token: string;
  get(path: string): Test;
  post(path: string, body?: object): Test;
  put(path: string, body?: object): Test;
  patch(path: string, body?: object): Test;
  delete(path: string): Test;
}

export interface CallerOptions {
  accountId?: string;
  role?: Role;
  scopes?: Scope[];
  staff?: boolean;
  password?: string;
  expiresAt?: Date;
  /** Sent with each input, as staff does. */
  reason?: string;
}

/** A user with a token, in its own account or in the one named. */
export async function createCaller(
  { app, db }: { app: Parameters<typeof supertest>[0]; db: Db },
  options: CallerOptions = {},
): Promise<TestCaller> {
  const { role = "owner", scopes = ["read", "write", "secrets_read", "admin"], staff = false, password } = options;
  const accountId = options.accountId ?? randomUUID();
  const userId = randomUUID();
  const token = mintToken();
  if (!options.accountId) await db.account.create({ data: { id: accountId, name: "Test" } });
  const passwordHash = password ? await hashPassword(password) : "";
  await db.user.create({ data: { id: userId, name: "Someone", email: `${userId}@example.com`, passwordHash, staff } });
  if (!staff) await db.membership.create({ data: { id: randomUUID(), accountId, userId, role } });
  const digest = tokenDigest(testKeys.tokens)(token);
  const expiresAt = options.expiresAt ?? null;
  await db.token.create({ data: { id: randomUUID(), userId, name: "test", digest, scopes, expiresAt } });
  const headers = { Authorization: `Bearer ${token}`, ...(options.reason && { "Gantry-Reason": options.reason }) };
  const authorize = (input: Test) => input.set(headers).expect(requireDeclaredAnswer);
  return {
    userId,
    accountId,
    token,
    get: (path) => authorize(supertest(app).get(path)),
    post: (path, body = {}) => authorize(supertest(app).post(path)).send(body),
    put: (path, body = {}) => authorize(supertest(app).put(path)).send(body),
    patch: (path, body = {}) => authorize(supertest(app).patch(path)).send(body),
    delete: (path) => authorize(supertest(app).delete(path)),
  };
}

export const REGION = "us-east-1";
export const ZONE = "us-east-1a";
export const OTHER_REGION = "eu-west-1";
export const OTHER_ZONE = "eu-west-1a";

/** A provider that is provisioned, with two regions of one zone each. */
export async function createProvider(db: Db, accountId: string): Promise<Provider> {
  const provisioned = { type: "aws", externalId: randomUUID(), provisionedId: "123456789012" };
  const provider = await db.provider.create({ data: { accountId, ...provisioned } });
  for (const [region, zone] of [
    [REGION, ZONE],
    [OTHER_REGION, OTHER_ZONE],
  ] as const) {
    const parentId = randomUUID();
    const common = { accountId, providerId: provider.id };
    const limits = { serverLimit: 20, addressLimit: 5 };
    const inRegion = { id: parentId, locationId: region, locationName: region, ...limits };
    await db.providerLocation.create({ data: { ...common, ...inRegion } });
    const inZone = { id: randomUUID(), parentId, locationId: zone, locationName: zone };
    await db.providerLocation.create({ data: { ...common, ...inZone } });
  }
  return provider;
}

/** A provisioned network, as a worker would have left it. */
export function createNetwork(db: Db, provider: Provider, changes: Partial<Prisma.NetworkUncheckedCreateInput> = {}) {
  const { accountId, id: providerId } = provider;
  const provisioned = { cidr: "10.0.0.0/16", provisionedId: "vpc-1" };
  return db.network.create({
    data: { id: randomUUID(), accountId, providerId, location: REGION, ...provisioned, ...changes },
  });
}

/** A provisioned subnet, as a worker would have left it. */
export function createSubnet(
  db: Db,
  network: Pick<Network, "accountId" | "id">,
  changes: Partial<Prisma.SubnetUncheckedCreateInput> = {},
) {
  const { accountId, id: networkId } = network;
  const provisioned = { location: ZONE, cidr: "10.0.0.0/24", provisionedId: "subnet-1" };
  return db.subnet.create({ data: { id: randomUUID(), accountId, networkId, ...provisioned, ...changes } });
}

/** An environment in the provider's region, without servers. */
export async function createEnvironment(
  db: Db,
  provider: Provider,
  changes: Partial<Prisma.EnvironmentUncheckedCreateInput> = {},
) {
  const { accountId, id: providerId } = provider;
  const id = await nextId(db, "environments");
  const keys = await environmentKeys({ id, accountId });
  const name = `environment-${randomUUID().slice(0, 8)}`;
  return db.environment.create({ data: { id, accountId, providerId, region: REGION, name, ...keys, ...changes } });
}

/** A stand-in key pair; its private half decrypts like a real one. */
export async function environmentKeys({ id, accountId }: { id: number; accountId: string }) {
  const secretLocation = { table: "environments", column: "internal_private_key", id: String(id), account: accountId };
  return { internalPublicKey: "ssh-ed25519 none", internalPrivateKey: await testVault.encrypt("none", secretLocation) };
}

/** An application of an account. */
export function createApplication(
  db: Db,
  accountId: string,
  changes: Partial<Prisma.ApplicationUncheckedCreateInput> = {},
) {
  const name = `application-${randomUUID().slice(0, 8)}`;
  const kind = { type: "rails4", language: "ruby", repository: "git@example.com:app.git" };
  return db.application.create({ data: { accountId, name, ...kind, ...changes } });
}

/** A running server of an environment, as a worker would have left it. */
export function createServer(
  db: Db,
  environment: Environment,
  changes: Partial<Prisma.ServerUncheckedCreateInput> = {},
) {
  const { accountId, id: environmentId, networkId, region } = environment;
  const running = { state: "running", provisionedId: `i-${randomUUID().slice(0, 8)}`, provisionedAt: new Date() };
  const hostnames = { privateHostname: "ip-10-0-0-4.ec2.internal", publicHostname: "ec2-54-0-0-4.amazonaws.com" };
  const defaults = { role: "app", flavor: "m3.medium", region, location: ZONE };
  const providerId = environment.providerId as number;
  return db.server.create({
    data: { accountId, environmentId, providerId, networkId, ...defaults, ...running, ...hostnames, ...changes },
  });
}

/** The provisioned firewall of an environment, as a worker would have left it. */
export function createFirewall(
  db: Db,
  environment: Environment,
  changes: Partial<Prisma.FirewallUncheckedCreateInput> = {},
) {
  const { accountId, id: environmentId, region, vpcProvisionedId } = environment;
  const providerId = environment.providerId as number;
  const provisioned = { name: "environment", provisionedId: `sg-${randomUUID().slice(0, 8)}` };
  return db.firewall.create({
    data: { accountId, environmentId, providerId, region, vpcProvisionedId, ...provisioned, ...changes },
  });
}

/** A provisioned volume, not attached by default, as a worker would have left it. */
export function createVolume(db: Db, provider: Provider, changes: Partial<Prisma.VolumeUncheckedCreateInput> = {}) {
  const { accountId, id: providerId } = provider;
  const provisioned = { provisionedId: `vol-${randomUUID().slice(0, 8)}`, state: "available" };
  return db.volume.create({
    data: { accountId, providerId, region: REGION, location: ZONE, sizeGb: 25, ...provisioned, ...changes },
  });
}

/** A provisioned public address, as a worker would have left it. */
export function createAddress(db: Db, provider: Provider, changes: Partial<Prisma.AddressUncheckedCreateInput> = {}) {
  const { accountId, id: providerId } = provider;
  const provisioned = { ipAddress: "192.0.2.1", provisionedId: `eipalloc-${randomUUID().slice(0, 8)}` };
  return db.address.create({ data: { accountId, providerId, location: REGION, ...provisioned, ...changes } });
}

/** A complete snapshot of a server's volume, with the Request that took it, as a worker would have left them. */
export async function createSnapshot(
  db: Db,
  server: Server,
  volume: Volume,
  changes: Partial<Prisma.SnapshotUncheckedCreateInput> = {},
) {
  const { accountId, providerId, environmentId, region, id: serverId } = server;
  const requestId = randomUUID();
  const now = new Date();
  await db.request.create({
    data: {
      id: requestId,
      accountId,
      type: "snapshot_server",
      resourceType: "server",
      resourceId: String(serverId),
      input: {},
      traceId: requestId.replaceAll("-", ""),
      deadlineAt: now,
      startedAt: now,
      finishedAt: now,
      successful: true,
    },
  });
  const complete = { state: "completed", progress: 100, provisionedId: `snap-${randomUUID().slice(0, 8)}` };
  const of = { accountId, providerId, environmentId, region, serverId, volumeId: volume.id, sizeGb: volume.sizeGb };
  return db.snapshot.create({ data: { ...of, requestId, ...complete, ...changes } });
}

/** How a small database server is set up. */
export const DATABASE_SERVER = {
  location: ZONE,
  flavor: "db.m3.medium",
  storageGb: 100,
  storageType: "gp2",
  backupRetentionPeriod: 1,
  backupWindow: { start: { hour: "03", minute: "00" }, duration: "0.5" },
  maintenanceWindow: {
    start: { day: "monday", hour: "04", minute: "00" },
    end: { day: "monday", hour: "05", minute: "00" },
  },
};

/** The master of a separate database service, both as a worker would have left them. */
export async function createDatabaseServer(
  db: Db,
  provider: Provider,
  changes: Partial<Prisma.DatabaseServerUncheckedCreateInput> = {},
) {
  const { accountId, id: providerId } = provider;
  const common = { accountId, providerId, region: REGION, engine: "postgres", version: "9.6.3", username: "gantry" };
  const databaseServiceId = randomUUID();
  const name = `database-${databaseServiceId.slice(0, 8)}`;
  await db.databaseService.create({
    data: { ...common, id: databaseServiceId, name, serviceLevel: "community", masterFlavor: "db.m3.medium" },
  });
  return db.databaseServer.create({
    data: {
      ...common,
      id: randomUUID(),
      databaseServiceId,
      ...DATABASE_SERVER,
      provisionedId: name,
      ...changes,
    },
  });
}

const AUDIT: ReadonlySet<string> = new Set(["PendingAuditRecord", "AuditRecord"]);

/** The number of rows of each table, without those of the audit, which holds refused acts too. */
export async function countRows(db: Db): Promise<Record<string, number>> {
  const names = Object.values(Prisma.ModelName).filter((name) => !AUDIT.has(name));
  const models = names.map((name) => `${name[0]?.toLowerCase()}${name.slice(1)}`);
  const tables = models.map((name) => db[name as "request"]);
  const counts = await Promise.all(tables.map((table) => table.count()));
  return Object.fromEntries(models.map((name, i) => [name, counts[i] ?? 0]));
}
