import { CreateVolumeCommand, CreateVpcCommand } from "@aws-sdk/client-ec2";
import type { Provider } from "@gantry/db";
import type { AwsAccount } from "@gantry/local-stack";
import type { Env } from "@gantry/runtime";
import { aws, createAwsAccount, createTestAccount, REGION, ZONES } from "@gantry/test/support/account";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { runAllToEnd } from "@gantry/test/support/engine";
import { createOrphanVolume, requestRemoval } from "@gantry/test/support/orphans";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { setWorkerIdentity } from "@gantry/test/support/worker-identity";
import type { Check } from "../../aws/checks/check.js";
import { awsOpener } from "../../aws/clients.js";

/** An account whose provider shares the AWS account of the worker. */
interface Tenant {
  accountId: string;
  provider: Provider;
  /** The AWS account of the worker. */
  awsAccount: AwsAccount;
}

let database: TestDatabase;
let env: Env;
let worker: AwsAccount;

beforeAll(async () => {
  database = await cloneDatabase();
  env = testEnv(database);
});
beforeEach(async () => {
  worker = await createAwsAccount();
  await aws.setCatalogue("specification", worker);
  setWorkerIdentity(worker);
});
afterAll(() => database.drop());

/** Runs a Request, with its own engine that knows no other test's identity. */
async function run({ accountId }: Tenant, requestId: string, settings: Partial<Env> = {}) {
  await runAllToEnd(testAwsEngine(database, { ...env, ...settings }), accountId);
  return database.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

async function createTenant(): Promise<Tenant> {
  const { accountId, provider } = await createTestAccount(database.db, env, worker);
  const data = { shared: true, credentials: null, provisionedId: null };
  const shared = await database.db.provider.update({ where: { id: provider.id }, data });
  return { accountId, provider: shared, awsAccount: worker };
}

const requestOn = (tenant: Tenant, type: "provision_shared_provider" | "cancel_provider") =>
  createRequestOf(database.db, tenant, type, { type: "provider", id: tenant.provider.id }, {});

const provision = async (tenant: Tenant, settings?: Partial<Env>) =>
  run(tenant, await requestOn(tenant, "provision_shared_provider"), settings);

async function provisionNetwork(tenant: Tenant): Promise<string> {
  const { networkId, requestId } = await requestNetwork(database.db, tenant);
  expect(await run(tenant, requestId)).toMatchObject({ successful: true, message: null });
  return networkId;
}

/** The ids of an account's objects in the AWS account, by its tag. */
async function objectsOf({ accountId }: Tenant): Promise<string[]> {
  const found = Object.values(await aws.inventory(worker)).flat();
  return found
    .filter(({ tags }) => tags["gantry:account"] === accountId)
    .map(({ id }) => id)
    .sort();
}

const client = () => awsOpener(10)(REGION, worker);

it("provisions the AWS account of the worker's identity, and discovers its regions", async () => {
  const tenant = await createTenant();
  expect(await provision(tenant)).toMatchObject({ successful: true, message: null });
  const where = { id: tenant.provider.id };
  expect(await database.db.provider.findUnique({ where })).toMatchObject({
    provisionedId: worker.accountId,
    credentials: null,
  });
});

it("keeps two accounts in one AWS account apart, from the networks to the end of one provider", async () => {
  const { db } = database;
  const [one, other] = [await createTenant(), await createTenant()];
  for (const tenant of [one, other]) expect(await provision(tenant)).toMatchObject({ successful: true });
  const operators = await client().ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
  const networkId = await provisionNetwork(one);
  await provisionNetwork(other);
  const [ofOne, ofOther] = [await objectsOf(one), await objectsOf(other)];
  expect(ofOne.length).toBeGreaterThan(2);
  expect([ofOther.length, ofOne.filter((id) => ofOther.includes(id))]).toEqual([ofOne.length, []]);

  // Everything that the records of one account name is of this account.
  const networks = await db.network.findMany({ where: { accountId: one.accountId }, include: { subnets: true } });
  const named = networks.flatMap(({ provisionedId, subnets }) => [
    provisionedId,
    ...subnets.map((s) => s.provisionedId),
  ]);
  expect(named.filter((id) => !ofOne.includes(id ?? ""))).toEqual([]);

  await scan(one);
  expect(await db.drift.findMany({ where: { accountId: { in: [one.accountId, other.accountId] } } })).toEqual([]);

  for (const { id } of networks.flatMap(({ subnets }) => subnets))
    await run(one, await createRequestOf(db, one, "deprovision_subnet", { type: "subnet", id }, {}));
  const removal = await createRequestOf(db, one, "deprovision_network", { type: "network", id: networkId }, {});
  expect(await run(one, removal)).toMatchObject({ successful: true, message: null });
  expect(await run(one, await requestOn(one, "cancel_provider"))).toMatchObject({ successful: true });
  expect([await objectsOf(one), await objectsOf(other)]).toEqual([[], ofOther]);
  const vpcs = (await aws.inventory(worker, { kinds: ["vpc"] })).vpc.map(({ id }) => id);
  expect(vpcs).toContain(operators.Vpc?.VpcId);
  await provisionNetwork(other);
});

/** Compares AWS with the records in one region, by a Request. */
async function scan(tenant: Tenant): Promise<void> {
  const { accountId, provider } = tenant;
  await database.db.providerLocation.updateMany({
    where: { providerId: provider.id, parentId: null, locationId: { not: REGION } },
    data: { disabledAt: new Date() },
  });
  const resource = { type: "account", id: accountId } as const;
  const id = await createRequestOf(database.db, tenant, "scan_drift", resource, { quietSeconds: 0 });
  expect(await run(tenant, id)).toMatchObject({ successful: true, message: null });
}

it("lists as an orphan, and removes, only what carries the account's tag and no ledger knows", async () => {
  const { db } = database;
  const [one, other] = [await createTenant(), await createTenant()];
  for (const tenant of [one, other]) expect(await provision(tenant)).toMatchObject({ successful: true });
  const own = await createOrphanVolume(one);
  const others = await createOrphanVolume(other);
  const made = await client().ec2.send(new CreateVolumeCommand({ AvailabilityZone: ZONES[0], Size: 1 }));
  const operators = made.VolumeId ?? "";
  // An object of the other account whose tag was changed by hand.
  const networkId = await provisionNetwork(other);
  const { id: token } = await db.cloudObject.findFirstOrThrow({ where: { resourceId: networkId, kind: "vpc" } });
  const changed = await createOrphanVolume(one, { "gantry:token": token });
  await db.cloudObject.update({ where: { id: token }, data: { kind: "volume", cloudId: changed } });

  await scan(one);
  const found = await db.drift.findMany({ where: { accountId: one.accountId } });
  expect(found.map(({ cloudId }) => cloudId)).toEqual([own]);
  await db.drift.deleteMany({ where: { accountId: one.accountId } });

  for (const cloudId of [others, operators, changed]) {
    const { successful, message } = await run(one, await requestRemoval(db, one, { kind: "volume", cloudId }));
    expect([successful, message]).toEqual([false, expect.stringMatching(/ was not removed: /)]);
  }
  expect(await run(one, await requestRemoval(db, one, { kind: "volume", cloudId: own }))).toMatchObject({
    successful: true,
  });
  const left = (await aws.inventory(worker, { kinds: ["volume"] })).volume.map(({ id }) => id);
  expect(left.sort()).toEqual([others, operators, changed].sort());
});

it("provisions no shared provider once the operator forbids it, and keeps using existing ones", async () => {
  const [late, early] = [await createTenant(), await createTenant()];
  const settings = { SHARED_PROVIDER: "refused" } as const;
  expect(await provision(late, settings)).toMatchObject({
    successful: false,
    message: expect.stringContaining("Gantry's operator does not allow shared providers"),
  });
  await provision(early);
  const { requestId } = await requestNetwork(database.db, early, { skipSubnets: true });
  expect(await run(early, requestId, settings)).toMatchObject({ successful: true });
});

it("does not work in another AWS account than the one that was provisioned", async () => {
  const tenant = await createTenant();
  await provision(tenant);
  const networkId = await provisionNetwork(tenant);
  setWorkerIdentity(await createAwsAccount());
  const resource = { type: "network", id: networkId } as const;
  const removal = await createRequestOf(database.db, tenant, "deprovision_network", resource, {});
  expect(await run(tenant, removal)).toMatchObject({
    successful: false,
    message: expect.stringContaining("no longer run in"),
  });
});

it("never uses the worker's identity for a provider that is not shared", async () => {
  const tenant = await createTenant();
  const where = { id: tenant.provider.id };
  await database.db.provider.update({ where, data: { shared: false } });
  expect(await provision(tenant)).toMatchObject({ successful: false, message: "The provider is not shared" });
  await database.db.provider.update({ where, data: { deletedAt: null, provisionedId: worker.accountId } });
  const { requestId } = await requestNetwork(database.db, tenant);
  expect(await run(tenant, requestId)).toMatchObject({
    successful: false,
    message: "The provider has no credentials",
  });
});

it("checks a shared provider without naming what belongs to the operator", async () => {
  const tenant = await createTenant();
  await provision(tenant);
  const resource = { type: "provider", id: tenant.provider.id } as const;
  const id = await createRequestOf(database.db, tenant, "check_provider", resource, { regions: [REGION] });
  const { successful, report } = await run(tenant, id);
  const { checks } = report as unknown as { checks: Check[] };
  expect([successful, checks.length > 8]).toEqual([true, true]);
  expect(JSON.stringify(checks)).not.toMatch(/arn:|vpc-|gantry:user|AKIA/);
  expect(checks.map(({ who }) => who)).not.toContain("owner");
  expect(checks.map(({ check }) => check)).not.toContain("default VPC");
});
