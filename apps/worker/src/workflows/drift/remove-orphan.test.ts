import { randomUUID } from "node:crypto";
import {
  CreateSubnetCommand,
  CreateTagsCommand,
  CreateVpcCommand,
  DeleteTagsCommand,
  DeleteVolumeCommand,
} from "@aws-sdk/client-ec2";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { createVolume } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd } from "@gantry/test/support/engine";
import { createOrphanNatGateway } from "@gantry/test/support/nat-gateway";
import { accountTags, createOrphanImage, createOrphanVolume, requestRemoval } from "@gantry/test/support/orphans";
import { until } from "@gantry/test/support/until";
import { createRequestOf } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();
const client = () => awsOpener(10)(REGION, context.customer.awsAccount);

const requestFor = (kind: string, cloudId: string, createdAt?: Date) =>
  requestRemoval(context.db, context.customer, { kind, cloudId, ...(createdAt && { createdAt }) });
const remove = async (kind: string, cloudId: string) => context.outcome(await requestFor(kind, cloudId));
const removals = async (action: RegExp) => {
  const calls = await aws.calls({ accessKeyId: context.customer.awsAccount.accessKeyId });
  return calls.filter((call) => action.test(call.action)).length;
};

it("removes an orphan and its finding, and succeeds if the orphan no longer exists", async () => {
  const cloudId = await createOrphanVolume(context.customer);
  expect(await remove("volume", cloudId)).toMatchObject({ successful: true, message: null });
  expect((await aws.inventory(context.customer.awsAccount, { kinds: ["volume"] })).volume).toEqual([]);
  expect(await context.db.drift.count({ where: { cloudId } })).toBe(0);

  const gone = await createOrphanVolume(context.customer);
  await client().ec2.send(new DeleteVolumeCommand({ VolumeId: gone }));
  expect(await remove("volume", gone)).toMatchObject({ successful: true, message: null });
  expect(await removals(/^DeleteVolume$/)).toBe(2);
  expect(await context.db.drift.count({ where: { cloudId: gone } })).toBe(0);
});

it("succeeds only once AWS no longer shows the object", async () => {
  const cloudId = await createOrphanVolume(context.customer);
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DeleteVolume", { code: "InvalidVolume.NotFound", times: 1, accessKeyId });
  expect(await remove("volume", cloudId)).toMatchObject({ successful: true });
  expect((await aws.inventory(context.customer.awsAccount, { kinds: ["volume"] })).volume).toEqual([]);
});

it("removes a NAT gateway, and succeeds once AWS has deleted it", async () => {
  const { accountId } = context.customer.awsAccount;
  const { id } = await createOrphanNatGateway(context.customer);
  await aws.setTransitionDelays({ natGatewayMs: 3_600_000 }, { accountId });
  const requestId = await requestFor("nat_gateway", id);
  const ended = context.outcome(requestId);
  const waiting = { id: requestId, waitingFor: "AWS to delete the NAT gateway" };
  await until(() => context.db.request.findFirst({ where: waiting }));
  await aws.setTransitionDelays({}, { accountId });
  expect(await ended).toMatchObject({ successful: true, message: null });
  expect((await aws.inventory(context.customer.awsAccount, { kinds: ["nat_gateway"] })).nat_gateway).toEqual([]);
});

it("removes an image and keeps its snapshot", async () => {
  const { imageId, snapshotId } = await createOrphanImage(context.customer);
  expect(await remove("image", imageId)).toMatchObject({ successful: true, message: null });
  expect(await aws.inventory(context.customer.awsAccount, { kinds: ["image", "snapshot"] })).toMatchObject({
    image: [],
    snapshot: [{ id: snapshotId }],
  });
});

it("removes a VPC once the orphan in it no longer exists", async () => {
  const { ec2 } = client();
  const made = { CidrBlock: "10.9.0.0/16", TagSpecifications: accountTags("vpc", context.customer) };
  const VpcId = (await ec2.send(new CreateVpcCommand(made))).Vpc?.VpcId ?? "";
  const within = { VpcId, CidrBlock: "10.9.1.0/24", TagSpecifications: accountTags("subnet", context.customer) };
  const subnetId = (await ec2.send(new CreateSubnetCommand(within))).Subnet?.SubnetId ?? "";
  const requestId = await requestFor("vpc", VpcId);
  await requestFor("subnet", subnetId);
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  expect(await aws.inventory(context.customer.awsAccount, { kinds: ["vpc", "subnet"] })).toMatchObject({
    vpc: [],
    subnet: [],
  });
});

const tag = (Value: string) => [{ Key: "gantry:account", Value }];
const insertLedgerRow = async (id: string, changes: { cloudId?: string; removedAt?: Date } = {}) => {
  const { accountId, provider } = context.customer;
  const requestId = await requestOther();
  await context.db.request.update({ where: { id: requestId }, data: { finishedAt: new Date(0) } });
  const ownerColumns = { id, requestId, accountId, providerId: provider.id, region: REGION };
  const objectColumns = { resourceType: "volume", resourceId: randomUUID(), kind: "volume", key: "", params: {} };
  await context.db.cloudObject.create({ data: { ...ownerColumns, ...objectColumns, ...changes } });
};
const requestOther = () =>
  createRequestOf(context.db, context.customer, "discover_server", { type: "server", id: 7 }, {});
const finish = (id: string, finishedAt: Date) => context.db.request.update({ where: { id }, data: { finishedAt } });

const IN_LEDGER = "the ledger lists it as made by a Request";
const OPEN_REQUEST = "a Request works on the resource that it was made for, or did a short time ago";
const NOT_OWN = "it no longer has this account's tag";
const [token, removed] = [randomUUID(), randomUUID()];

it.each<[string, why: string, tags: Record<string, string>, prepare: (cloudId: string) => Promise<unknown>]>([
  [
    "has lost its tag",
    NOT_OWN,
    {},
    (id) => client().ec2.send(new DeleteTagsCommand({ Resources: [id], Tags: [{ Key: "gantry:account" }] })),
  ],
  [
    "carries another account's tag",
    NOT_OWN,
    {},
    (id) => client().ec2.send(new CreateTagsCommand({ Resources: [id], Tags: tag(randomUUID()) })),
  ],
  ["carries the token of a row of the ledger", IN_LEDGER, { "gantry:token": token }, () => insertLedgerRow(token)],
  [
    "has a row of the ledger that was removed within the quiet period",
    IN_LEDGER,
    { "gantry:token": removed },
    () => insertLedgerRow(removed, { removedAt: new Date() }),
  ],
  [
    "is in the ledger, though its tags do not say so",
    IN_LEDGER,
    {},
    (cloudId) => insertLedgerRow(randomUUID(), { cloudId }),
  ],
  [
    "has a record",
    "a record describes it",
    {},
    (provisionedId) => createVolume(context.db, context.customer.provider, { provisionedId }),
  ],
  [
    "belongs to a resource that a Request works on",
    OPEN_REQUEST,
    { "gantry:resource": "server/7" },
    async () => {
      const id = await requestOther();
      const later = new Date(Date.now() + 3_600_000);
      await context.db.request.update({ where: { id }, data: { startedAt: new Date(), nextRunAt: later } });
    },
  ],
  [
    "belongs to a resource that a Request worked on within the quiet period",
    OPEN_REQUEST,
    { "gantry:resource": "server/7" },
    async () => finish(await requestOther(), new Date()),
  ],
])("keeps an object that %s", async (_name, why, tags, prepare) => {
  const cloudId = await createOrphanVolume(context.customer, tags);
  await prepare(cloudId);
  await expectKept(cloudId, await requestFor("volume", cloudId), why);
});

it("keeps an object that was found only now", async () => {
  const cloudId = await createOrphanVolume(context.customer);
  const requestId = await requestFor("volume", cloudId, new Date());
  await expectKept(
    cloudId,
    requestId,
    "it was found less than 300 seconds ago, and its creation may still be in progress",
  );
});

it("removes nothing with another account's provider", async () => {
  const cloudId = await createOrphanVolume(context.customer);
  const neighbour = await createTestAccount(context.db, context.env);
  const resource = { type: "drift", id: randomUUID() } as const;
  const about = { kind: "volume", cloudId, providerId: context.customer.provider.id, region: REGION };
  const input = { ...about, noticedAt: new Date(0).toISOString(), quietSeconds: 0 };
  const id = await createRequestOf(context.db, neighbour, "remove_orphan", resource, input);
  await runAllToEnd(context.engine, neighbour.accountId);
  const ended = await context.db.request.findUniqueOrThrow({ where: { id } });
  expect(ended).toMatchObject({ successful: false, message: "The provider does not belong to this account" });
});

/** Runs only the removal: other Requests stay as they are. */
async function expectKept(cloudId: string, requestId: string, why: string) {
  await runRequest(context.engine, requestId);
  const { successful, message } = await context.db.request.findUniqueOrThrow({ where: { id: requestId } });
  const kept = `The volume ${cloudId} was not removed: ${why}`;
  expect({ successful, message }).toEqual({ successful: false, message: kept });
  expect(await removals(/^DeleteVolume$/)).toBe(0);
  expect(await context.db.drift.count({ where: { cloudId } })).toBe(1);
}
