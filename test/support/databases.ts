import { randomUUID } from "node:crypto";
import { type Db, insertInto, nextId, Vault } from "@gantry/db";
import { createRequest } from "@gantry/requests";
import type { InputOf } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import { REGION, type TestAccount, ZONES } from "./account.js";
import { createRequestOf } from "./work.js";

interface DatabaseOptions {
  engine?: string;
  version?: string;
  flavor?: string;
  networkId?: string;
  vpcProvisionedId?: string;
  environmentId?: number;
  multiAz?: boolean;
  /** What it is restored from, as in the input of its Request. */
  restore?: Omit<InputOf<"provision_database_service">, "extendedSupport">;
}

type Tenant = Pick<TestAccount, "accountId" | "provider">;

const WINDOWS = {
  backupWindow: { start: { hour: "03", minute: "00" }, duration: "1.0" },
  maintenanceWindow: {
    start: { day: "sunday", hour: "04", minute: "30" },
    end: { day: "sunday", hour: "05", minute: "00" },
  },
};

const DAY_MS = 24 * 60 * 60_000;

/** A maintenance window that is some days away, by which a test does not depend on the day on which it runs. */
export function maintenanceWindowIn(days: number) {
  const date = new Date(Date.now() + days * DAY_MS);
  const day = date.toLocaleDateString("en", { weekday: "long", timeZone: "UTC" }).toLowerCase();
  return { start: { day, hour: "05", minute: "00" }, end: { day, hour: "06", minute: "00" } };
}

export const DATABASE_PASSWORD = "the-password-of-the-record";
export const PROMOTED_PASSWORD = "the-password-of-the-promoted";
export const NEXT_DATABASE_PASSWORD = "the-next-password-of-the-record";

/** Accepts a database and its Request as the API does. */
export async function requestDatabaseService(
  db: Db,
  env: Env,
  { accountId, provider }: Tenant,
  options: DatabaseOptions = {},
): Promise<{ id: string; masterId: string; firewallId: number; requestId: string }> {
  const {
    engine = "mysql",
    version = "5.7.17",
    flavor = "db.m4.large",
    multiAz = false,
    restore = {},
    ...rest
  } = options;
  const { vpcProvisionedId = null, networkId = null } = rest;
  const [id, masterId, firewallId] = [randomUUID(), randomUUID(), await nextId(db, "firewalls")];
  const common = { accountId, providerId: provider.id, region: REGION };
  const vault = new Vault(env.MASTER_KEY);
  const encryptPassword = (table: string, id: string) =>
    vault.encrypt(DATABASE_PASSWORD, { table, column: "password", id, account: accountId });
  const service = insertInto("database_services", {
    ...common,
    ...rest,
    id,
    name: `database-${id.slice(0, 8)}`,
    serviceLevel: "community",
    engine,
    version,
    masterFlavor: flavor,
    masterMultiAz: multiAz,
    username: "gantry",
    password: await encryptPassword("database_services", id),
  });
  const master = insertInto("database_servers", {
    ...common,
    ...WINDOWS,
    id: masterId,
    databaseServiceId: id,
    networkId,
    location: ZONES[0] as string,
    engine,
    version,
    flavor,
    storageGb: 20,
    storageType: "gp2",
    multiAz,
    backupRetentionPeriod: 7,
    username: "gantry",
    password: await encryptPassword("database_servers", masterId),
  });
  const firewall = insertInto("firewalls", {
    ...common,
    id: firewallId,
    vpcProvisionedId,
    databaseServiceId: id,
    name: `database-${id.slice(0, 8)}`,
  });
  const traceId = randomUUID().replaceAll("-", "");
  const resource = { type: "database_service", id } as const;
  const request = {
    type: "provision_database_service",
    accountId,
    resource,
    input: restore ?? { extendedSupport: false },
    traceId,
  } as const;
  const { id: requestId } = await createRequest(db, request, [service, master, firewall]);
  return { id, masterId, firewallId, requestId };
}

/** A provisioned database, as a worker would have left it. */
export async function createDatabase(db: Db, env: Env, tenant: Tenant, options: DatabaseOptions = {}) {
  const database = await requestDatabaseService(db, env, tenant, options);
  const ended = { startedAt: new Date(), finishedAt: new Date(), successful: true };
  await db.request.update({
    where: { id: database.requestId },
    data: { ...ended, stage: "create-provider-credentials" },
  });
  const provisionedId = `gantry-${database.masterId}`;
  const endpoint = `mysql://${provisionedId}.aaaaaaaaaa.${REGION}.rds.amazonaws.com:3306`;
  await db.databaseServer.update({
    where: { id: database.masterId },
    data: { provisionedId, provisionerId: "db-ABCDEFGHIJKLMNOP", endpoint, state: "available" },
  });
  return { ...database, provisionedId, endpoint };
}

/** Accepts a rotation of a database's credentials, as the API does. */
export async function requestRotation(
  { db, env, customer: { accountId } }: { db: Db; env: Env; customer: Pick<TestAccount, "accountId"> },
  id: string,
  password = NEXT_DATABASE_PASSWORD,
): Promise<string> {
  const location = { table: "database_services", column: "next_password", id, account: accountId };
  const nextPassword = await new Vault(env.MASTER_KEY).encrypt(password, location);
  await db.databaseService.update({ where: { id }, data: { nextPassword, nextPasswordSent: false } });
  return createRequestOf(db, { accountId }, "rotate_database_credentials", { type: "database_service", id }, {});
}

/** The passwords on record: the next one, and those of the database and of its servers that have one. */
export async function passwordsOf({ db, env }: { db: Db; env: Env }, id: string) {
  const vault = new Vault(env.MASTER_KEY);
  const { nextPassword, nextPasswordSent, password, accountId, servers } = await db.databaseService.findUniqueOrThrow({
    where: { id },
    include: { servers: true },
  });
  const open = (sealed: Uint8Array | null, table: string, rowId: string, column = "password") =>
    sealed && vault.decrypt(sealed, { table, column, id: rowId, account: accountId });
  const shown = servers.filter((server) => server.password);
  return {
    isSent: nextPasswordSent,
    next: await open(nextPassword, "database_services", id, "next_password"),
    passwords: await Promise.all([
      open(password, "database_services", id),
      ...shown.map((server) => open(server.password, "database_servers", server.id)),
    ]),
  };
}

/** Accepts a replica of an existing server, and its Request. */
export async function requestReplica(db: Db, { accountId }: Tenant, sourceId: string) {
  const source = await db.databaseServer.findUniqueOrThrow({ where: { id: sourceId } });
  const id = randomUUID();
  const { createdAt: _createdAt, provisionedId: _id, provisionerId: _resource, endpoint: _endpoint, ...rest } = source;
  const { pending: _pending, ...like } = rest;
  const replica = { ...like, ...WINDOWS, id, replicationSourceId: sourceId, location: ZONES[1] as string, tags: {} };
  await db.databaseServer.create({ data: { ...replica, password: null, state: "pending" } });
  const requestId = await createRequestOf(
    db,
    { accountId },
    "provision_database_server",
    { type: "database_server", id },
    {},
  );
  return { id, requestId };
}

/** Accepts a promotion of a replica, as the API does. */
export async function requestPromotion(
  { db, env }: { db: Db; env: Env },
  serverId: string,
): Promise<{ id: string; requestId: string }> {
  const server = await db.databaseServer.findUniqueOrThrow({
    where: { id: serverId },
    include: { databaseService: true },
  });
  const { databaseService: former, accountId, providerId, region } = server;
  const { createdAt: _createdAt, updatedAt: _updatedAt, nextPassword: _next, ...like } = former;
  const [id, firewallId] = [randomUUID(), await nextId(db, "firewalls")];
  const location = { table: "database_services", column: "password", id, account: accountId };
  const password = await new Vault(env.MASTER_KEY).encrypt(PROMOTED_PASSWORD, location);
  const service = { ...like, id, name: `promoted-${id.slice(0, 8)}`, password, replicaCount: 0, tags: {} };
  const { vpcProvisionedId } = former;
  const firewall = { accountId, providerId, region, id: firewallId, databaseServiceId: id, vpcProvisionedId };
  await db.databaseService.create({ data: service });
  await db.firewall.create({ data: { ...firewall, name: `database-${service.name}` } });
  const input = { serverId, formerServiceId: former.id };
  const resource = { type: "database_service", id } as const;
  const requestId = await createRequestOf(db, { accountId }, "promote_database_server", resource, input);
  return { id, requestId };
}

/** Accepts a snapshot of an existing server, without a Request. */
export async function addSnapshot(db: Db, { accountId, provider }: Tenant, databaseServerId: string) {
  const { region, engine, version, storageGb } = await db.databaseServer.findUniqueOrThrow({
    where: { id: databaseServerId },
  });
  const id = randomUUID();
  const of = { accountId, providerId: provider.id, databaseServerId };
  return db.databaseServerSnapshot.create({ data: { ...of, id, name: id, region, engine, version, storageGb } });
}
