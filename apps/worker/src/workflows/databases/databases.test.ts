import { randomUUID } from "node:crypto";
import { DescribeSecurityGroupRulesCommand } from "@aws-sdk/client-ec2";
import { DescribeDBInstancesCommand, StartDBInstanceCommand, StopDBInstanceCommand } from "@aws-sdk/client-rds";
import type { TransitionDelays } from "@gantry/local-stack";
import { aws, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { createEnvironment, createFirewall } from "@gantry/test/support/api";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import {
  addSnapshot,
  DATABASE_PASSWORD,
  maintenanceWindowIn,
  requestDatabaseService,
  requestReplica,
} from "@gantry/test/support/databases";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { PUBLIC_KEY } from "@gantry/test/support/firewall";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import type { Aws } from "../../aws/clients.js";
import { findDefaultVpc } from "../../aws/ec2/default-vpc.js";
import { securityGroup } from "../../aws/ec2/security-group.js";
import { describeDbInstance } from "../../aws/rds/instance-state.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";

let database: TestDatabase;
let db: TestDatabase["db"];
let env: ReturnType<typeof testEnv>;
let engine: Engine<Aws>;
let customer: TestAccount;

beforeAll(async () => {
  database = await cloneDatabase();
  db = database.db;
  env = testEnv(database);
});
beforeEach(async () => {
  engine = testAwsEngine(database, env);
  customer = await createTestAccount(db, env);
});
afterAll(() => database.drop());

const AURORA = { engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" };
const settle = () => runAllToEnd(engine, customer.accountId);
const requestOf = (id: string) => db.request.findUniqueOrThrow({ where: { id } });
const connect = () => engine.connect({ providerId: customer.provider.id, region: REGION }, customer.accountId);

/** Calls `then` after every successful call to RDS, before the engine continues. */
async function onRdsCall(then: (commandName: string, input: Record<string, unknown>) => unknown): Promise<void> {
  const client = await connect();
  for (const { middlewareStack } of [client.rds, client.noRetry.rds]) {
    middlewareStack.add(
      (next, { commandName = "" }) =>
        async (args) => {
          const result = await next(args);
          await then(commandName, args.input as Record<string, unknown>);
          return result;
        },
      { step: "initialize" },
    );
  }
  engine = { ...engine, connect: async () => client };
}

/** The number of objects of each kind in AWS. */
async function objectCounts(): Promise<Record<string, number>> {
  const inventory = await aws.inventory(customer.awsAccount);
  const counts = Object.entries(inventory).map(([kind, found]) => [kind, found.length] as const);
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

/** Runs a Request repeatedly until it waits for this reason. */
const waitsFor = (requestId: string, reason: RegExp) =>
  until(async () => {
    await wakeUp(db, requestId);
    await runRequest(engine, requestId);
    return reason.test((await requestOf(requestId)).waitingFor ?? "");
  });

/** Requests the removal of a database. */
const remove = (id: string, finalSnapshotId: string | null = null) =>
  createRequestOf(db, customer, "deprovision_database_service", { type: "database_service", id }, { finalSnapshotId });

it("records what RDS shows of a master, and sets the password of the record", async () => {
  const sent: { name: string; password: unknown }[] = [];
  await onRdsCall((name, { MasterUserPassword: password }) => password && sent.push({ name, password }));
  const { masterId, firewallId, requestId } = await requestDatabaseService(db, env, customer);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, stage: "create-provider-credentials" });
  const master = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
  expect(master).toMatchObject({
    provisionedId: expect.stringMatching(/^gantry-[0-9a-f-]{36}$/),
    provisionerId: expect.stringMatching(/^db-/),
    endpoint: `mysql://${master.provisionedId}.aaaaaaaaaa.us-east-1.rds.amazonaws.com:3306`,
    backupWindow: { start: { hour: "03", minute: "00" }, duration: "1.0" },
    maintenanceWindow: {
      start: { day: "sunday", hour: "04", minute: "30" },
      end: { day: "sunday", hour: "05", minute: "00" },
    },
    ...{ storageGb: 20, storageType: "gp2", multiAz: false, state: "available" },
  });
  const firewall = await db.firewall.findUniqueOrThrow({ where: { id: firewallId } });
  expect(firewall.provisionedId).toMatch(/^sg-/);
  expect(sent.map(({ name }) => name)).toEqual(["CreateDBInstanceCommand", "ModifyDBInstanceCommand"]);
  expect(sent[0]?.password).not.toBe(DATABASE_PASSWORD);
  expect(sent[1]?.password).toBe(DATABASE_PASSWORD);
  const ledger = await db.cloudObject.findMany({ where: { accountId: customer.accountId } });
  const said = await db.requestMessage.findMany({ where: { requestId } });
  const kept = JSON.stringify([ledger.map(({ params }) => params), said]);
  for (const { password } of sent) expect(kept).not.toContain(password);
});

it("creates a database in its network's subnets", async () => {
  const { networkId } = await requestNetwork(db, customer);
  await settle();
  const network = await db.network.findUniqueOrThrow({ where: { id: networkId }, include: { subnets: true } });
  const vpcProvisionedId = network.provisionedId ?? "";
  const wanted = { engine: "postgres", version: "9.6.3", multiAz: true, networkId, vpcProvisionedId };
  const { masterId } = await requestDatabaseService(db, env, customer, wanted);
  await settle();
  const master = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
  expect(master).toMatchObject({ multiAz: true, endpoint: expect.stringMatching(/^postgres:\/\/.*:5432$/) });
  const { rds } = await connect();
  const ask = new DescribeDBInstancesCommand({ DBInstanceIdentifier: master.provisionedId ?? "" });
  const { DBInstances: [seen] = [] } = await rds.send(ask);
  const subnets = seen?.DBSubnetGroup?.Subnets?.map(({ SubnetIdentifier }) => SubnetIdentifier);
  expect(subnets?.sort()).toEqual(network.subnets.map(({ provisionedId }) => provisionedId).sort());
});

it("waits while RDS creates the instance, and creates one", async () => {
  await aws.setTransitionDelays({ databaseMs: 60_000 }, { accountId: customer.awsAccount.accountId });
  const { requestId } = await requestDatabaseService(db, env, customer);
  await waitsFor(requestId, /the database server to become available .now creating/);
  await aws.setTransitionDelays({}, { accountId: customer.awsAccount.accountId });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  expect(await objectCounts()).toEqual({ security_group: 1, db_subnet_group: 1, db_instance: 1 });
});

it("sets the password once, and waits until RDS has applied it", async () => {
  const { accountId } = customer.awsAccount;
  await onRdsCall(async (name) => {
    if (name === "ModifyDBInstanceCommand") await aws.setTransitionDelays({ databaseMs: 600_000 }, { accountId });
  });
  const { requestId } = await requestDatabaseService(db, env, customer);
  await waitsFor(requestId, /now resetting-master-credentials/);
  await aws.setTransitionDelays({}, { accountId });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  const changes = await aws.calls({ accountId, action: "ModifyDBInstance" });
  expect(changes.filter(({ status }) => status === 200)).toHaveLength(1);
});

it("removes what it created when it is cancelled, as soon as RDS allows it", async () => {
  await aws.setTransitionDelays({ databaseMs: 60_000 }, { accountId: customer.awsAccount.accountId });
  const { id, masterId, firewallId, requestId } = await requestDatabaseService(db, env, customer);
  await waitsFor(requestId, /now creating/);
  await db.request.update({ where: { id: requestId }, data: { cancelRequestedAt: new Date() } });
  await waitsFor(requestId, /the database to reach a state in which AWS allows this operation/);
  await aws.setTransitionDelays({}, { accountId: customer.awsAccount.accountId });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false, leakedResources: [] });
  expect(await objectCounts()).toEqual({});
  const { deletedAt } = await db.databaseService.findUniqueOrThrow({ where: { id } });
  const master = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
  const firewall = await db.firewall.findUniqueOrThrow({ where: { id: firewallId } });
  expect([deletedAt, deletedAt]).toEqual([master.deletedAt, firewall.deletedAt]);
  expect(deletedAt).not.toBeNull();
});

it("lifts the protection of a database once, and removes it when RDS has applied that", async () => {
  const { id, masterId } = await requestDatabaseService(db, env, customer);
  await settle();
  const { accountId } = customer.awsAccount;
  await onRdsCall(async (name) => {
    if (name === "ModifyDBInstanceCommand") await aws.setTransitionDelays({ databaseMs: 600_000 }, { accountId });
  });
  const { id: finalSnapshotId } = await addSnapshot(db, customer, masterId);
  const removal = await remove(id, finalSnapshotId);
  const refused = async () =>
    (await aws.calls({ accountId, action: "DeleteDBInstance" })).filter(({ errorCode }) => errorCode).length;
  await until(async () => {
    await wakeUp(db, removal);
    await runRequest(engine, removal);
    return (await refused()) >= 3;
  });
  const changes = await aws.calls({ accountId, action: "ModifyDBInstance" });
  expect(changes.filter(({ params }) => params.DeletionProtection === "false")).toHaveLength(1);
  await aws.setTransitionDelays({}, { accountId });
  await settle();
  expect(await requestOf(removal)).toMatchObject({ successful: true });
  expect(await objectCounts()).toEqual({ db_snapshot: 1 });
});

it("explains an exhausted quota, and leaves nothing", async () => {
  const { accessKeyId } = customer.awsAccount;
  await aws.refuse("CreateDBInstance", { code: "InstanceQuotaExceeded", accessKeyId });
  const { requestId } = await requestDatabaseService(db, env, customer);
  await settle();
  expect((await requestOf(requestId)).message).toMatch(/^The AWS account has reached a quota/);
  expect(await objectCounts()).toEqual({});
});

it("creates a database that is retried after its provision has failed", async () => {
  const { accessKeyId } = customer.awsAccount;
  await aws.refuse("ModifyDBInstance", { code: "AccessDenied", times: 1, accessKeyId });
  const { id, masterId, firewallId, requestId } = await requestDatabaseService(db, env, customer);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: false, stage: "create-provider-credentials" });
  expect(await objectCounts()).toEqual({});
  const living = { data: { deletedAt: null } };
  await db.databaseService.update({ where: { id }, ...living });
  const master = await db.databaseServer.update({ where: { id: masterId }, ...living });
  await db.firewall.update({ where: { id: firewallId }, ...living });
  expect([master.provisionedId, master.endpoint]).toEqual([null, null]);
  const again = await createRequestOf(
    db,
    customer,
    "provision_database_service",
    { type: "database_service", id },
    { extendedSupport: false },
  );
  await settle();
  expect(await requestOf(again)).toMatchObject({ successful: true, message: null });
  const changes = await aws.calls({ accountId: customer.awsAccount.accountId, action: "ModifyDBInstance" });
  const passwords = changes.filter(({ params }) => params.DeletionProtection === undefined);
  expect(passwords.map(({ status }) => status)).toEqual([400, 200]);
});

it("creates Aurora as a cluster with replicas as members, takes snapshots of the cluster, and removes all but the final one", async () => {
  const { id, masterId, requestId } = await requestDatabaseService(db, env, customer, AURORA);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  const replica = await requestReplica(db, customer, masterId);
  await settle();
  const { id: snapshotId } = await addSnapshot(db, customer, masterId);
  const ofSnapshot = { type: "database_server_snapshot", id: snapshotId } as const;
  await createRequestOf(db, customer, "provision_database_server_snapshot", ofSnapshot, {});
  await settle();
  const GROUPS = { security_group: 1, db_subnet_group: 1 };
  expect(await objectCounts()).toEqual({ ...GROUPS, db_cluster: 1, db_instance: 2, db_cluster_snapshot: 1 });
  const service = await db.databaseService.findUniqueOrThrow({ where: { id } });
  expect(service).toMatchObject({ clusterId: expect.stringMatching(/^gantry-/), replicaCount: 1 });
  const snapshot = await db.databaseServerSnapshot.findUniqueOrThrow({ where: { id: snapshotId } });
  expect(snapshot).toMatchObject({ state: "available", progress: 100 });

  const { id: finalSnapshotId } = await addSnapshot(db, customer, masterId);
  const removal = await remove(id, finalSnapshotId);
  await settle();
  expect(await requestOf(removal)).toMatchObject({ successful: true, stage: "destroy" });
  expect(await objectCounts()).toEqual({ db_cluster_snapshot: 2 });
  const { db_cluster_snapshot: copies } = await aws.inventory(customer.awsAccount, { kinds: ["db_cluster_snapshot"] });
  const owners = [snapshotId, finalSnapshotId].map((each) => `database_server_snapshot/${each}`);
  expect(copies.map(({ tags }) => tags["gantry:resource"]).sort()).toEqual(owners.sort());
  const children = await db.request.findMany({ where: { parentId: removal } });
  expect(children.map(({ type, resourceId }) => [type, resourceId])).toEqual([
    ["deprovision_database_server", replica.id],
  ]);
});

it.each([
  ["postgres", "9.6.3", "db.m4.large", 5432],
  ["aurora-postgresql", "17.4", "db.t4g.medium", 5432],
  ["mysql", "5.7.17", "db.m4.large", 3306],
])("allows the servers of its environment on the port of %s", async (engine, version, flavor, port) => {
  const client = await connect();
  const vpcId = (await findDefaultVpc(client)) ?? "";
  const intent = {
    token: randomUUID(),
    tags: { Name: "servers" },
    params: { name: "servers", description: "Servers", vpcId },
  };
  const theirs = await securityGroup.create(client, intent);
  const { accountId, provider } = customer;
  const keys = { internalPublicKey: "ssh-ed25519 AAAA", internalPrivateKey: Buffer.from("encrypted") };
  const at = { accountId, providerId: provider.id, region: REGION };
  const environment = await db.environment.create({ data: { ...at, ...keys, name: "production" } });
  const source = await db.firewall.create({
    data: { ...at, environmentId: environment.id, name: "servers", provisionedId: theirs },
  });
  const wanted = { engine, version, flavor, environmentId: environment.id };
  const { id, firewallId } = await requestDatabaseService(db, env, customer, wanted);
  await settle();
  const made = await aws.inventory(customer.awsAccount, {
    kinds: ["security_group", "db_subnet_group", "db_instance"],
  });
  const tags = Object.values(made).flatMap((found) => found.map((each) => each.tags["gantry:environment"]));
  expect(tags.filter(Boolean)).toEqual([1, 2, 3].map(() => String(environment.id)));
  const rule = await db.firewallRule.findFirstOrThrow({ where: { firewallId, deletedAt: null } });
  expect(rule).toMatchObject({ source: String(source.id), portRange: String(port), protocol: "tcp" });
  const ids = { SecurityGroupRuleIds: [rule.provisionedId ?? ""] };
  const { SecurityGroupRules } = await client.ec2.send(new DescribeSecurityGroupRulesCommand(ids));
  expect(SecurityGroupRules).toEqual([
    expect.objectContaining({ FromPort: port, ToPort: port, ReferencedGroupInfo: expect.anything() }),
  ]);
  await remove(id);
  await settle();
  expect((await db.firewallRule.findUniqueOrThrow({ where: { id: rule.id } })).deletedAt).not.toBeNull();
  expect((await aws.inventory(customer.awsAccount, { kinds: ["security_group"] })).security_group).toHaveLength(1);
});

it("allows the servers of its environment when that boots later, and when it boots again", async () => {
  const environment = await createEnvironment(db, customer.provider, { internalPublicKey: PUBLIC_KEY });
  const source = await createFirewall(db, environment, { provisionedId: null });
  const { firewallId } = await requestDatabaseService(db, env, customer, { environmentId: environment.id });
  await settle();
  const client = await connect();
  const rulesOf = async () => {
    const firewall = await db.firewall.findUniqueOrThrow({ where: { id: firewallId } });
    const Filters = [{ Name: "group-id", Values: [firewall.provisionedId ?? ""] }];
    const { SecurityGroupRules } = await client.ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
    return SecurityGroupRules?.filter(({ IsEgress }) => !IsEgress).map((rule) => [
      rule.FromPort,
      rule.ReferencedGroupInfo?.GroupId,
    ]);
  };
  expect(await rulesOf()).toEqual([]);
  for (const _boot of ["first", "second"]) {
    await createRequestOf(db, customer, "provision_default_firewall", { type: "firewall", id: source.id }, {});
    await settle();
    const { provisionedId } = await db.firewall.findUniqueOrThrow({ where: { id: source.id } });
    expect(await rulesOf()).toEqual([[3306, provisionedId]]);
    await createRequestOf(db, customer, "deprovision_environment", { type: "environment", id: environment.id }, {});
    await settle();
    expect(await rulesOf()).toEqual([]);
  }
});

it("finishes the alerts on a database's servers when it removes them", async () => {
  const { id, masterId } = await requestDatabaseService(db, env, customer);
  await settle();
  const { id: replicaId } = await requestReplica(db, customer, masterId);
  await settle();
  for (const databaseServerId of [masterId, replicaId]) {
    const alert = { externalId: "1", name: "load", message: "high", severity: "warning" };
    await db.alert.create({ data: { id: randomUUID(), accountId: customer.accountId, databaseServerId, ...alert } });
  }
  await remove(id);
  await settle();
  const alerts = await db.alert.findMany({ where: { accountId: customer.accountId } });
  expect(alerts.map(({ finishedAt }) => finishedAt)).toEqual([expect.any(Date), expect.any(Date)]);
  expect(await objectCounts()).toEqual({});
});

it("upgrades a database to another major version, and its database with it", async () => {
  const { id, masterId } = await requestDatabaseService(db, env, customer, { version: "5.6.35" });
  await settle();
  const resource = { type: "database_server", id: masterId } as const;
  const requestId = await createRequestOf(db, customer, "modify_database_server", resource, { version: "5.7.17" });
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true });
  const service = await db.databaseService.findUniqueOrThrow({ where: { id }, include: { servers: true } });
  const found = await describeDbInstance(service.servers[0]?.provisionedId ?? "")(await connect());
  expect([service.version, service.servers[0]?.version, found?.version]).toEqual(["5.7.17", "5.7.17", "5.7.17"]);
});

it("gives a database other windows, which its record shows in its own form", async () => {
  const { masterId } = await requestDatabaseService(db, env, customer);
  await settle();
  const windows = { backupWindow: "22:15-23:00", maintenanceWindow: "tue:03:45-tue:04:30" };
  const resource = { type: "database_server", id: masterId } as const;
  const requestId = await createRequestOf(db, customer, "modify_database_server", resource, windows);
  await settle();
  expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
  const server = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
  expect(server).toMatchObject({
    backupWindow: { start: { hour: "22", minute: "15" }, duration: "0.75" },
    maintenanceWindow: {
      start: { day: "tuesday", hour: "03", minute: "45" },
      end: { day: "tuesday", hour: "04", minute: "30" },
    },
  });
  expect(await describeDbInstance(server.provisionedId ?? "")(await connect())).toMatchObject(windows);
});

it("gives a database a certificate of another CA, and fails if RDS does not know it", async () => {
  const { masterId: id } = await requestDatabaseService(db, env, customer);
  await settle();
  const authority = async () => (await db.databaseServer.findUniqueOrThrow({ where: { id } })).certificateAuthority;
  expect(await authority()).toBe("rds-ca-rsa2048-g1");
  const change = async (certificateAuthority: string) => {
    const resource = { type: "database_server", id } as const;
    const requestId = await createRequestOf(db, customer, "modify_database_server", resource, { certificateAuthority });
    await settle();
    return requestOf(requestId);
  };
  expect(await change("rds-ca-ecc384-g1")).toMatchObject({ successful: true, message: null });
  const { provisionedId } = await db.databaseServer.findUniqueOrThrow({ where: { id } });
  const found = await describeDbInstance(provisionedId ?? "")(await connect());
  expect([await authority(), found?.certificateAuthority]).toEqual(["rds-ca-ecc384-g1", "rds-ca-ecc384-g1"]);
  expect((await change("rds-ca-2015")).message).toBe("RDS does not know this certificate authority");
  expect(await authority()).toBe("rds-ca-ecc384-g1");
});

it("gives a database's storage other IOPS, which it loses with another type", async () => {
  const today = { engine: "postgres", version: "16.9", flavor: "db.t4g.medium" };
  const { masterId } = await requestDatabaseService(db, env, customer, today);
  await settle();
  const change = async (input: object) => {
    const resource = { type: "database_server", id: masterId } as const;
    const requestId = await createRequestOf(db, customer, "modify_database_server", resource, input);
    await settle();
    expect(await requestOf(requestId)).toMatchObject({ successful: true, message: null });
    const server = await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } });
    const found = await describeDbInstance(server.provisionedId ?? "")(await connect());
    return [server.storageGb, server.storageType, server.iops, found?.storageType, found?.iops];
  };
  const grown = { storageGb: 400, storageType: "gp3", iops: 20_000 };
  expect(await change(grown)).toEqual([400, "gp3", 20_000, "gp3", 20_000]);
  expect((await change({ storageType: "gp2" })).slice(0, 4)).toEqual([400, "gp2", null, "gp2"]);
});

describe("a change that RDS accepts and does not complete leaves on record what the database has", () => {
  let masterId: string;
  let identifier: string;
  let requestId: string;
  const stateOf = async () => (await describeDbInstance(identifier)(await connect()))?.status;
  const after = async (minutes: number) => {
    const startedAt = new Date(Date.now() - minutes * 60_000);
    await db.requestStage.updateMany({ where: { requestId, name: "wait-until-applied" }, data: { startedAt } });
    await settle();
    const { successful, message } = await requestOf(requestId);
    return { successful, message, ...(await onRecord()) };
  };
  const onRecord = async () => {
    const { flavor, storageGb, databaseService } = await db.databaseServer.findUniqueOrThrow({
      where: { id: masterId },
      include: { databaseService: true },
    });
    return { flavor, storageGb, masterFlavor: databaseService.masterFlavor };
  };
  const modify = () => {
    const resource = { type: "database_server", id: masterId } as const;
    const input = { flavor: "db.m4.xlarge", storageGb: 40 };
    return createRequestOf(db, customer, "modify_database_server", resource, input);
  };
  const accepted = async (delays: TransitionDelays) => {
    ({ masterId } = await requestDatabaseService(db, env, customer));
    await settle();
    identifier = (await db.databaseServer.findUniqueOrThrow({ where: { id: masterId } })).provisionedId ?? "";
    await setDelays(delays);
    requestId = await modify();
    await waitsFor(requestId, /^RDS to change/);
    expect(await onRecord()).toEqual(changed);
  };
  const former = { flavor: "db.m4.large", storageGb: 20, masterFlavor: "db.m4.large" };
  const changed = { flavor: "db.m4.xlarge", storageGb: 40, masterFlavor: "db.m4.xlarge" };

  const setDelays = (delays: TransitionDelays) =>
    aws.setTransitionDelays(delays, { accountId: customer.awsAccount.accountId });

  afterEach(async () => {
    await setDelays({});
    requestId = await modify();
    expect(await after(0)).toEqual({ successful: true, message: null, ...changed });
  });

  it("if it gives the change up", async () => {
    await accepted({ databaseChangeEnd: "failed" });
    const message = "RDS did not complete the change of flavor, storage";
    expect(await after(11)).toEqual({ successful: false, message, ...former });
  });

  it("if it works on it for too long", async () => {
    await accepted({});
    await setDelays({ databaseMs: 3_600_000 });
    const message = "RDS did not complete the change of flavor, storage in 150 minutes";
    expect(await after(150)).toEqual({ successful: false, message, ...former });
  });

  it("if the database is stopped meanwhile", async () => {
    await accepted({ databaseChangeEnd: "failed" });
    const client = (await connect()).rds;
    await until(async () => (await stateOf()) === "available");
    await client.send(new StopDBInstanceCommand({ DBInstanceIdentifier: identifier }));
    await until(async () => (await stateOf()) === "stopped");
    const message = "The database server is stopped";
    expect(await after(0)).toEqual({ successful: false, message, ...former });
    await client.send(new StartDBInstanceCommand({ DBInstanceIdentifier: identifier }));
    await until(async () => (await stateOf()) === "available");
  });
});

describe("a change that waits for the maintenance window", () => {
  const modify = async (id: string, input: object) => {
    const requestId = await createRequestOf(
      db,
      customer,
      "modify_database_server",
      { type: "database_server", id },
      input,
    );
    await settle();
    expect(await requestOf(requestId)).toMatchObject({ successful: true });
    const { provisionedId, pending, flavor, storageGb } = await db.databaseServer.findUniqueOrThrow({ where: { id } });
    const found = await describeDbInstance(provisionedId ?? "")(await connect());
    expect([found?.flavor, found?.storageGb, found?.status]).toEqual([flavor, storageGb, "available"]);
    return { pending, flavor, storageGb, inRds: found?.pending };
  };
  const waiting = async () => {
    const { masterId } = await requestDatabaseService(db, env, customer);
    await db.databaseServer.update({ where: { id: masterId }, data: { maintenanceWindow: maintenanceWindowIn(3) } });
    await settle();
    expect(await modify(masterId, { flavor: "db.m4.xlarge", storageGb: 40, apply: "window" })).toEqual({
      ...{ flavor: "db.m4.large", storageGb: 20, pending: { flavor: "db.m4.xlarge", storage: 40 } },
      inRds: { flavor: "db.m4.xlarge", storageGb: 40 },
    });
    return masterId;
  };

  it("comes at once with the next one that does", async () => {
    const id = await waiting();
    expect(await modify(id, { flavor: "db.r3.large", storageGb: 40 })).toEqual({
      ...{ flavor: "db.r3.large", storageGb: 40, pending: null },
      inRds: {},
    });
    const service = await db.databaseService.findFirstOrThrow({ where: { servers: { some: { id } } } });
    expect(service.masterFlavor).toBe("db.r3.large");
  });

  it("is given up for the present value", async () => {
    const id = await waiting();
    expect(await modify(id, { flavor: "db.m4.large", storageGb: 20 })).toEqual({
      ...{ flavor: "db.m4.large", storageGb: 20, pending: null },
      inRds: {},
    });
  });
});
