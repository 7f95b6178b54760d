import { randomUUID } from "node:crypto";
import { CreateRoleCommand } from "@aws-sdk/client-iam";
import type { Env } from "@gantry/runtime";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd } from "@gantry/test/support/engine";
import { createRequestOf } from "@gantry/test/support/work";
import { setWorkerIdentity } from "@gantry/test/support/worker-identity";
import { denialOf } from "../../aws/aws-errors.js";
import { awsOpener } from "../../aws/clients.js";
import { awsRegionName } from "../../aws/ec2/locations.js";
import { runRequest } from "../../engine/run.js";

const context = awsTestContext();
beforeEach(async () => {
  await context.db.offerList.deleteMany();
  await aws.setCatalogue("specification", context.customer.awsAccount);
});

const SCP =
  "You are not authorized to perform this operation. User: arn:aws:iam::1:user/x is not authorized to perform: ec2:DescribeAvailabilityZones with an explicit deny in a service control policy";
const denial = { code: "UnauthorizedOperation", status: 403, message: SCP };

/** Discovers the provider's locations and returns the Request with the regions on record. */
async function discover(type: "discover_provider_locations" | "provision_provider" = "discover_provider_locations") {
  const { db, customer, engine } = context;
  const id = await createRequestOf(db, customer, type, { type: "provider", id: customer.provider.id }, {});
  await runAllToEnd(engine, customer.accountId);
  const request = await db.request.findUniqueOrThrow({ where: { id } });
  const where = { providerId: customer.provider.id, parentId: null };
  const regions = await db.providerLocation.findMany({ where, include: { children: true } });
  return { request, regions, denied: regions.filter(({ disabledAt }) => disabledAt) };
}

it("records a region that the organization denies as disabled with the reason, until AWS lets it in", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DescribeAvailabilityZones", { ...denial, times: 1, accessKeyId });
  const { request, regions, denied } = await discover();
  expect(request).toMatchObject({ successful: true, message: null });
  expect(denied.map(({ disabledReason }) => disabledReason)).toEqual([
    "A service control policy of the AWS organization denies ec2:DescribeAvailabilityZones; the organization's administrator can allow it",
  ]);
  expect(regions.filter(({ children }) => children.length > 0).length).toBeGreaterThanOrEqual(regions.length - 1);
  const again = await discover("provision_provider");
  expect([again.denied, again.regions.filter(({ disabledReason }) => disabledReason)]).toEqual([[], []]);
});

/** The regions of which AWS was asked for offers, in the order of the calls. */
async function readRegions() {
  const { accessKeyId } = context.customer.awsAccount;
  const calls = await aws.calls({ accessKeyId, action: "DescribeInstanceTypeOfferings" });
  return calls.map(({ region }) => region);
}

it("ends with the zones of all regions and the offers of the home region on record, before those of the others", async () => {
  const { db, customer } = context;
  await db.providerLocation.deleteMany({ where: { providerId: customer.provider.id, parentId: { not: null } } });
  const { request, regions } = await discover("provision_provider");
  const end = request.finishedAt as Date;
  const zones = regions.flatMap(({ children }) => children);
  expect(regions.filter(({ children }) => children.length === 0)).toEqual([]);
  expect(zones.filter(({ createdAt }) => createdAt > end)).toEqual([]);
  const children = await db.request.findMany({ where: { parentId: request.id } });
  expect(children).toMatchObject([{ type: "discover_provider_locations", successful: true }]);
  expect(await db.request.count({ where: { type: "discover_provider_location" } })).toBe(0);
  const read = await readRegions();
  expect([read[0], read.toSorted()]).toEqual([REGION, regions.map(({ locationId }) => locationId).toSorted()]);
});

it("asks AWS for no offers that another provider has read within a day, unless a user wants them anew", async () => {
  await discover("provision_provider");
  context.customer = await createTestAccount(context.db, context.env);
  const { regions } = await discover("provision_provider");
  expect(await readRegions()).toEqual([]);
  const ids = regions.map(({ id }) => id);
  const offers = await context.db.offerList.findMany({ where: { id: { in: ids } } });
  expect(offers.filter(({ compute, databases, readAt }) => compute && databases && readAt)).toHaveLength(ids.length);
  await discover();
  expect(new Set(await readRegions())).toEqual(new Set(regions.map(({ locationId }) => locationId)));
});

it("reads the offers of a new provider only while nothing else is to do", async () => {
  const { db, customer, engine } = context;
  const others = await createTestAccount(db, context.env);
  const other = { type: "provider", id: others.provider.id } as const;
  const waiting = await createRequestOf(db, others, "discover_provider_locations", other, {});
  const resource = { type: "provider", id: customer.provider.id } as const;
  const id = await createRequestOf(db, customer, "provision_provider", resource, {});
  await runRequest(engine, id);
  const child = await db.request.findFirstOrThrow({ where: { parentId: id } });
  const read = await readRegions();
  await runRequest(engine, child.id);
  expect(await db.request.findUniqueOrThrow({ where: { id: child.id } })).toMatchObject({
    finishedAt: null,
    waitingFor: "a time without other work",
  });
  expect(await readRegions()).toEqual(read);
  await db.request.update({ where: { id: waiting }, data: { finishedAt: new Date(), successful: true } });
  await runAllToEnd(engine, customer.accountId);
  expect(await db.request.findUniqueOrThrow({ where: { id: child.id } })).toMatchObject({ successful: true });
});

it("fails if AWS denies every region", async () => {
  await aws.refuse("DescribeAvailabilityZones", { ...denial, accessKeyId: context.customer.awsAccount.accessKeyId });
  const { request } = await discover();
  expect(request).toMatchObject({
    successful: false,
    message: expect.stringMatching(/^AWS denies every region to the provider\. \S+: A service control policy/),
  });
});

it("leaves a region disabled that the operator has disabled", async () => {
  const where = { providerId: context.customer.provider.id, locationId: REGION };
  await context.db.providerLocation.updateMany({ where, data: { disabledAt: new Date() } });
  const { denied } = await discover();
  expect(denied.map(({ locationId }) => locationId)).toEqual([REGION]);
});

it("moves zones that were recorded under the wrong region, and disables those without a region", async () => {
  const { db, customer } = context;
  const { accountId, provider } = customer;
  await discover();
  const [wrong, right] = await Promise.all(
    ["eu-west-1", "eu-north-1"].map((locationId) =>
      db.providerLocation.findFirstOrThrow({ where: { providerId: provider.id, locationId } }),
    ),
  );
  const parentId = wrong?.id ?? "";
  await db.providerLocation.updateMany({ where: { parentId: right?.id ?? "" }, data: { parentId } });
  const stray = { id: randomUUID(), accountId, providerId: provider.id, parentId };
  await db.providerLocation.create({ data: { ...stray, locationId: "mars-1a", locationName: "mars-1a" } });
  const { regions } = await discover();
  for (const { locationId, children } of regions) {
    const foreign = children.filter((zone) => !zone.disabledAt && !zone.locationId.startsWith(locationId));
    expect(foreign).toEqual([]);
    expect(children.filter((zone) => !zone.disabledAt).length).toBeGreaterThan(0);
  }
  expect(await db.providerLocation.findUnique({ where: { id: stray.id } })).toMatchObject({
    disabledAt: expect.any(Date),
    disabledReason: "The zone does not belong to eu-west-1",
  });
});

it("uses AWS's names for regions that the specification lacks", async () => {
  const { regions } = await discover();
  const nameOf = (id: string) => regions.find(({ locationId }) => locationId === id)?.locationName;
  expect([nameOf("eu-west-1"), nameOf("eu-north-1")]).toEqual(["Europe (Ireland)", "Europe (Stockholm)"]);
  expect(awsRegionName("us-moon-1")).toBe("us-moon-1");
});

it("does not treat a throttled or a lost call as a denial", () => {
  const error = (name: string) => Object.assign(new Error(), { name, $metadata: {} });
  expect(["RequestLimitExceeded", "TimeoutError", "InternalError"].map((name) => denialOf(error(name)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

describe("a role as a provider", () => {
  /**
   * Sets the provider's role: one that trusts the worker's AWS account, under a condition; the role may be in that
   * account.
   */
  async function useRole({ condition, inOwnAccount = false }: { condition?: object; inOwnAccount?: boolean }) {
    const { db, customer } = context;
    const worker = await aws.createAccount();
    setWorkerIdentity(worker);
    const Principal = { AWS: `arn:aws:iam::${worker.accountId}:root` };
    const statement = {
      Effect: "Allow",
      Action: "sts:AssumeRole",
      Principal,
      ...(condition && { Condition: condition }),
    };
    const { iam } = awsOpener(10)(REGION, inOwnAccount ? worker : customer.awsAccount);
    const { Role } = await iam.send(
      new CreateRoleCommand({
        RoleName: "gantry",
        AssumeRolePolicyDocument: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }),
      }),
    );
    await db.provider.update({
      where: { id: customer.provider.id },
      data: { roleArn: Role?.Arn ?? "", credentials: null, provisionedId: null },
    });
    return worker;
  }

  const demanded = () => ({ StringEquals: { "sts:ExternalId": context.customer.provider.externalId } });

  // A separate engine knows no other test's worker.
  async function onboard(settings: Partial<Env> = {}) {
    const { database, db, env, customer } = context;
    const engine = testAwsEngine(database, { ...env, ...settings });
    const resource = { type: "provider", id: customer.provider.id } as const;
    const id = await createRequestOf(db, customer, "provision_provider", resource, {});
    await runAllToEnd(engine, customer.accountId);
    return db.request.findUniqueOrThrow({ where: { id } });
  }

  it.each([
    ["no external id", undefined],
    ["any external id", { StringLike: { "sts:ExternalId": "*" } }],
  ])("is refused if its trust policy requires %s, before Gantry uses it", async (_name, condition) => {
    const worker = await useRole(condition ? { condition } : {});
    expect(await onboard()).toMatchObject({
      successful: false,
      message: expect.stringMatching(/with any external id.*Its trust policy must require sts:ExternalId/),
    });
    const assumed = await aws.calls({ action: "AssumeRole", accessKeyId: worker.accessKeyId });
    expect(assumed).toHaveLength(1);
    expect(assumed[0]?.params).not.toMatchObject({ ExternalId: context.customer.provider.externalId });
  });

  it("is accepted if its trust policy requires the account's external id", async () => {
    await useRole({ condition: demanded() });
    expect(await onboard()).toMatchObject({ successful: true });
  });

  it("is refused in the AWS account of Gantry's workers, unless the operator allows it", async () => {
    await useRole({ condition: demanded(), inOwnAccount: true });
    expect(await onboard()).toMatchObject({
      successful: false,
      message: expect.stringContaining("in the AWS account of Gantry's own workers"),
    });
    await context.db.provider.updateMany({ data: { deletedAt: null } });
    expect(await onboard({ PROVIDERS_IN_OWN_ACCOUNT: "allowed" })).toMatchObject({ successful: true });
  });
});
