import { randomUUID } from "node:crypto";
import {
  CreateVpcCommand,
  DeleteVolumeCommand,
  DeleteVpcCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import { CreateDBInstanceCommand, DeleteDBInstanceCommand } from "@aws-sdk/client-rds";
import { aws, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { createDatabaseServer, createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { openDatabaseService } from "@gantry/test/support/databases";
import { launchInstance } from "@gantry/test/support/instance";
import { strayVolume as makeStray, ownTags } from "@gantry/test/support/stray";
import { open, openNetwork } from "@gantry/test/support/work";
import { workshop } from "@gantry/test/support/workshop";
import { expect, it } from "@jest/globals";
import { awsOpener } from "../aws/clients.js";
import type { DriftLimits } from "./region-claim.js";
import { scanSteps } from "./scan-steps.js";
import { scanDrift } from "./scanner.js";

const shop = workshop();
const limits: DriftLimits = { periodSeconds: 3600, calls: 1000, quietSeconds: 0 };

const client = () => awsOpener(10)(REGION, shop.customer.awsAccount);

/** Lets the period of the customer's places be over now. */
async function makeDue({ accountId }: Pick<TestAccount, "accountId"> = shop.customer) {
  await scanDrift({ ...shop.engine, isStopping: () => true }, limits);
  await shop.db.driftPlace.updateMany({
    where: { accountId },
    data: { dueAt: new Date(0), periodEndsAt: new Date(0) },
  });
}

async function pass(changes: Partial<DriftLimits> = {}, customer = shop.customer) {
  await makeDue(customer);
  await scanDrift(shop.engine, { ...limits, ...changes });
}

const placeOf = ({ accountId } = shop.customer) => shop.db.driftPlace.findFirstOrThrow({ where: { accountId } });
const driftOf = ({ accountId } = shop.customer) =>
  shop.db.drift.findMany({ where: { accountId }, orderBy: { cloudId: "asc" } });
const orphansOf = async (customer = shop.customer) =>
  (await driftOf(customer)).filter(({ finding }) => finding === "orphan").map(({ cloudId }) => cloudId);
const callsOf = async ({ awsAccount } = shop.customer) => {
  const calls = await aws.calls({ accessKeyId: awsAccount.accessKeyId });
  return calls.filter(({ action }) => action.startsWith("Describe"));
};

async function runningServer() {
  const environment = await createEnvironment(shop.db, shop.customer.provider);
  const provisionedId = await launchInstance(shop.customer);
  const { id } = await createServer(shop.db, environment, { provisionedId });
  await pass();
  return { id, provisionedId };
}
const serverOf = (id: number) => shop.db.server.findUniqueOrThrow({ where: { id } });
const stop = (id: string) => client().ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));

const strayVolume = (tags?: Record<string, string>) => makeStray(shop.customer, tags);

it("finds an instance that was terminated outside of Gantry", async () => {
  const { id, provisionedId } = await runningServer();
  expect(await serverOf(id)).toMatchObject({ state: "running", disappearedAt: null });
  await client().ec2.send(new TerminateInstancesCommand({ InstanceIds: [provisionedId] }));
  await pass();
  const gone = await serverOf(id);
  expect(gone).toMatchObject({ state: "terminated", disappearedAt: expect.any(Date), deletedAt: null });
  const noticed = { finding: "disappeared", kind: "instance", cloudId: provisionedId, resourceId: String(id) };
  expect(await driftOf()).toContainEqual(expect.objectContaining({ ...noticed, after: { ...said(gone) } }));
  await pass();
  expect(await serverOf(id)).toEqual(gone);

  await shop.db.server.update({ where: { id }, data: { deletedAt: new Date() } });
  await pass();
  expect(await driftOf()).toEqual([]);
});

function said({ state, privateHostname, publicHostname }: Awaited<ReturnType<typeof serverOf>>) {
  return { state, private_hostname: privateHostname, public_hostname: publicHostname };
}

it("reports an instance that was stopped by hand, with the record's earlier values", async () => {
  const { id, provisionedId } = await runningServer();
  const before = said(await serverOf(id));
  await stop(provisionedId);
  await pass();
  const after = said(await serverOf(id));
  expect(after.state).toBe("stopped");
  const found = await driftOf();
  expect(found).toMatchObject([{ finding: "changed", resourceType: "server", resourceId: String(id), before, after }]);
});

it("restores a server's state when AWS shows its instance again", async () => {
  const { id } = await runningServer();
  await shop.db.server.update({ where: { id }, data: { disappearedAt: new Date(), state: "terminated" } });
  await pass();
  expect(await serverOf(id)).toMatchObject({ state: "running", disappearedAt: null });
  expect((await driftOf()).map(({ finding }) => finding)).toEqual(["changed"]);
});

it("writes a database's endpoint, and finds that the database disappeared", async () => {
  const { id, provisionedId } = await createDatabaseServer(shop.db, shop.customer.provider, {
    provisionedId: `db-${randomUUID()}`,
    endpoint: "postgres://elsewhere:5432",
    state: "available",
  });
  const DBInstanceIdentifier = provisionedId ?? "";
  await client().rds.send(
    new CreateDBInstanceCommand({
      ...{ DBInstanceIdentifier, Engine: "postgres", DBInstanceClass: "db.m3.medium", AllocatedStorage: 20 },
      ...{ MasterUsername: "gantry", MasterUserPassword: "password" },
    }),
  );
  await pass();
  const row = () => shop.db.databaseServer.findUniqueOrThrow({ where: { id } });
  expect((await row()).endpoint).toMatch(new RegExp(`^postgres://${provisionedId}\\..*:5432$`));
  await client().rds.send(new DeleteDBInstanceCommand({ DBInstanceIdentifier, SkipFinalSnapshot: true }));
  await pass();
  expect(await row()).toMatchObject({ state: "deleted", disappearedAt: expect.any(Date), deletedAt: null });
});

it("finds that a volume disappeared", async () => {
  const { id } = await createVolume(shop.db, shop.customer.provider);
  await pass();
  const row = await shop.db.volume.findUniqueOrThrow({ where: { id } });
  expect(row).toMatchObject({ state: "deleted", disappearedAt: expect.any(Date), deletedAt: null });
});

it("reports a tagged object without an owner, never removes it, and deletes the finding when it is gone", async () => {
  const VolumeId = await strayVolume();
  const vpc = new CreateVpcCommand({ CidrBlock: "10.9.0.0/16", TagSpecifications: ownTags("vpc", shop.customer) });
  const VpcId = (await client().ec2.send(vpc)).Vpc?.VpcId ?? "";
  await pass();
  const [first] = await driftOf();
  await pass();
  expect(await driftOf()).toMatchObject([
    { finding: "orphan", kind: "volume", cloudId: VolumeId, tags: { "gantry:account": shop.customer.accountId } },
    { finding: "orphan", kind: "vpc", cloudId: VpcId, before: null, resourceId: null },
  ]);
  const [again] = await driftOf();
  expect([again?.id, again?.createdAt]).toEqual([first?.id, first?.createdAt]);
  const made = await aws.inventory(shop.customer.awsAccount, { kinds: ["vpc", "volume"] });
  expect([made.vpc, made.volume].map((found) => found.map(({ id }) => id))).toEqual([[VpcId], [VolumeId]]);

  await client().ec2.send(new DeleteVolumeCommand({ VolumeId }));
  await client().ec2.send(new DeleteVpcCommand({ VpcId }));
  await pass();
  expect(await driftOf()).toEqual([]);
});

it("reports no object that a Request created", async () => {
  const { requestId } = await openNetwork(shop.db, shop.customer);
  const database = await openDatabaseService(shop.db, shop.env, shop.customer);
  const { id } = await createVolume(shop.db, shop.customer.provider, { provisionedId: null, state: "pending" });
  await open(shop.db, shop.customer, "volume_provision", { type: "volume", id }, {});
  for (const each of [requestId, database.requestId]) {
    expect(await shop.outcome(each)).toMatchObject({ successful: true });
  }
  await pass();
  expect(await driftOf()).toEqual([]);
});

it("reports the second of two objects of one ledger row", async () => {
  const { id } = await createVolume(shop.db, shop.customer.provider, { provisionedId: null, state: "pending" });
  await shop.outcome(await open(shop.db, shop.customer, "volume_provision", { type: "volume", id }, {}));
  const { volume } = await aws.inventory(shop.customer.awsAccount, { kinds: ["volume"] });
  const second = await strayVolume(volume[0]?.tags);
  await pass();
  expect(await orphansOf()).toEqual([second]);
});

it("reports no object that AWS created along with another one, and none that an open Request works on", async () => {
  const request = await open(shop.db, shop.customer, "discover_server", { type: "server", id: 1 }, {});
  await shop.db.request.update({ where: { id: request }, data: { nextRunAt: new Date(Date.now() + 3_600_000) } });
  const row = { accountId: shop.customer.accountId, providerId: shop.customer.provider.id, region: REGION };
  const instance = { ...row, resourceType: "server", resourceId: "2", kind: "instance", key: "", params: {} };
  const { id } = await shop.db.cloudObject.create({
    data: { ...instance, id: randomUUID(), requestId: request, cloudId: "i-1" },
  });
  await strayVolume({ "gantry:token": id, "gantry:resource": "server/2" });
  await strayVolume({ "gantry:request": request });
  await strayVolume({ "gantry:resource": "server/1" });
  await pass();
  expect(await orphansOf()).toEqual([]);
  await shop.db.cloudObject.update({ where: { id }, data: { removedAt: new Date() } });
  await shop.db.request.update({ where: { id: request }, data: { finishedAt: new Date() } });
  await pass({ quietSeconds: 3600 });
  expect(await orphansOf()).toEqual([]);
  await pass();
  expect(await orphansOf()).toHaveLength(3);
});

it("reports no object of another account or installation in the same AWS account", async () => {
  const neighbour = await createTestAccount(shop.db, shop.env, shop.customer.awsAccount);
  await strayVolume({ "gantry:account": randomUUID() });
  const theirs = await strayVolume({ "gantry:account": neighbour.accountId });
  const mine = await strayVolume();
  await pass();
  await pass({}, neighbour);
  expect([await orphansOf(), await orphansOf(neighbour)]).toEqual([[mine], [theirs]]);
});

it("writes to no record that a Request works on, or worked on in the quiet time", async () => {
  const { id, provisionedId } = await runningServer();
  const request = await open(shop.db, shop.customer, "discover_server", { type: "server", id }, {});
  const later = new Date(Date.now() + 3_600_000);
  await shop.db.request.update({ where: { id: request }, data: { nextRunAt: later, startedAt: new Date() } });
  await stop(provisionedId);
  const before = await serverOf(id);
  await pass();
  expect(await serverOf(id)).toEqual(before);
  await shop.db.request.update({ where: { id: request }, data: { finishedAt: new Date() } });
  await pass({ quietSeconds: 3600 });
  expect(await serverOf(id)).toEqual(before);
  await pass();
  expect((await serverOf(id)).state).toBe("stopped");
});

it.each([
  [
    "a record that was written during the call to AWS",
    (id: number) => shop.db.server.update({ where: { id }, data: { name: "renamed" } }),
  ],
  [
    "any record once another worker holds the region",
    async () => shop.db.driftPlace.update({ where: { id: (await placeOf()).id }, data: { fence: { increment: 1 } } }),
  ],
])("does not write to %s", async (_name, happen) => {
  const { id, provisionedId } = await runningServer();
  await stop(provisionedId);
  await makeDue();
  let requested = 0;
  const connect: typeof shop.engine.connect = async (...where) => {
    if (requested++ === 0) await happen(id);
    return shop.engine.connect(...where);
  };
  await scanDrift({ ...shop.engine, connect }, limits);
  expect(requested).toBeGreaterThan(0);
  expect((await serverOf(id)).state).toBe("running");
});

it("yields while users' work of the account is due, and continues afterwards", async () => {
  await strayVolume();
  const neighbour = await createTestAccount(shop.db, shop.env);
  const due = await open(shop.db, shop.customer, "discover_server", { type: "server", id: 1 }, {});
  await pass();
  expect([await callsOf(), (await placeOf()).lastLookedAt]).toEqual([[], null]);
  await pass({}, neighbour);
  expect((await placeOf(neighbour)).lastLookedAt).not.toBeNull();

  await shop.db.request.update({ where: { id: due }, data: { finishedAt: new Date() } });
  await makeDue();
  let requested = 0;
  const connect: typeof shop.engine.connect = async (...where) => {
    if (++requested === 2) await shop.db.request.update({ where: { id: due }, data: { finishedAt: null } });
    return shop.engine.connect(...where);
  };
  await scanDrift({ ...shop.engine, connect }, limits);
  expect([requested, (await callsOf()).length]).toEqual([2, 2]);
  expect(await placeOf()).toMatchObject({ leaseUntil: null, lastLookedAt: null, cursor: expect.anything() });
});

it("makes no more calls in a period than its budget, and continues from its cursor in the next one", async () => {
  await strayVolume();
  await pass({ calls: 3 });
  expect(await callsOf()).toHaveLength(3);
  await scanDrift(shop.engine, { ...limits, calls: 3 });
  await shop.db.driftPlace.updateMany({ data: { dueAt: new Date(0) }, where: { id: (await placeOf()).id } });
  await scanDrift(shop.engine, { ...limits, calls: 3 });
  expect(await callsOf()).toHaveLength(3);
  expect(await placeOf()).toMatchObject({ lastLookedAt: null });
  for (let period = 0; period < 5; period++) await pass({ calls: 3 });
  expect((await placeOf()).lastLookedAt).not.toBeNull();
  expect(await orphansOf()).toHaveLength(1);
  const { length } = scanSteps.filter(({ name }) => name.startsWith("tagged"));
  const firstPass = (await callsOf()).slice(0, length).map(({ action }) => action);
  expect([firstPass.length, new Set(firstPass).size]).toEqual([length, length]);
});

it("lets one worker at a time scan a region", async () => {
  await makeDue();
  await aws.delay("DescribeVpcs", 300, { accessKeyId: shop.customer.awsAccount.accessKeyId });
  await Promise.all([1, 2, 3, 4].map(() => scanDrift(shop.engine, limits)));
  const calls = await callsOf();
  expect(new Set(calls.map(({ action }) => action)).size).toBe(calls.length);
  expect(await placeOf()).toMatchObject({ fence: 1, lastLookedAt: expect.any(Date) });
});

it("reports a step that failed, and carries out the others", async () => {
  const { accessKeyId } = shop.customer.awsAccount;
  await aws.refuse("DescribeDBInstances", { code: "AccessDenied", status: 403, accessKeyId });
  const stray = await strayVolume();
  await pass();
  expect(await placeOf()).toMatchObject({
    message: "The provider's credentials lack a permission in AWS that this needs",
    lastLookedAt: null,
  });
  expect(await orphansOf()).toEqual([stray]);
  await aws.clear({ accessKeyId });
  await pass();
  expect(await placeOf()).toMatchObject({ message: null, lastLookedAt: expect.any(Date) });
});

it("makes no more calls in a period in which AWS throttled one", async () => {
  const { accessKeyId } = shop.customer.awsAccount;
  await aws.refuse("DescribeInstances", { code: "RequestLimitExceeded", status: 503, accessKeyId });
  await pass();
  expect(await callsOf()).toHaveLength(1);
  const { dueAt, periodEndsAt, leaseUntil } = await placeOf();
  expect([dueAt, leaseUntil]).toEqual([periodEndsAt, null]);
});
