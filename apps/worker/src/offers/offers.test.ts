import type { DatabaseOffers } from "@gantry/aws-facts";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf } from "@gantry/test/support/work";
import { scanDrift } from "../drift/scanner.js";

const context = awsTestContext();

const DAY_MS = 86_400_000;

async function region() {
  const { id: providerId } = context.customer.provider;
  return context.db.providerLocation.findFirstOrThrow({ where: { providerId, locationId: REGION } });
}

async function discover() {
  const { id } = await region();
  const resource = { type: "provider_location", id } as const;
  return context.outcome(
    await createRequestOf(context.db, context.customer, "discover_provider_location", resource, {}),
  );
}

const offers = async () => context.db.offerList.findUniqueOrThrow({ where: { id: (await region()).id } });

async function callsOfOffers() {
  const { accessKeyId } = context.customer.awsAccount;
  const offered = /^Describe(InstanceTypeOfferings|InstanceTypes|DBEngineVersions|OrderableDBInstanceOptions)$/;
  return (await aws.calls({ accessKeyId })).map(({ action }) => action).filter((action) => offered.test(action));
}

const setToday = () => aws.setCatalogue("today", context.customer.awsAccount);

it("records what AWS offers in the region, with at most 12 calls if the instance types are known", async () => {
  await setToday();
  expect((await discover()).successful).toBe(true);
  const { compute, databases, readAt, message } = await offers();
  expect(compute).toMatchObject({
    "t3.medium": ["a", "b", "c", "d", "f"].map((zone) => `${REGION}${zone}`),
    "m7g.large": expect.arrayContaining([`${REGION}a`]),
  });
  expect(Object.keys(compute as object)).not.toContain("m7g.metal");
  expect(databases).toMatchObject({
    postgres: {
      versions: expect.arrayContaining([
        {
          ...{ version: expect.stringMatching(/^16\./), major: "16", isDefault: true },
          upgrades: expect.arrayContaining([expect.stringMatching(/^17\./)]),
          certificateAuthorities: expect.arrayContaining(["rds-ca-rsa2048-g1"]),
          changesCertificateRunning: true,
        },
      ]),
      classes: {
        "db.t4g.medium": {
          zones: expect.arrayContaining([`${REGION}a`]),
          storageTypes: expect.arrayContaining(["gp3"]),
          isEncryptable: true,
        },
      },
    },
    "aurora-postgresql": { classes: { "db.t4g.medium": { storageTypes: ["aurora"] } } },
  });
  expect([readAt, message]).toEqual([expect.any(Date), null]);
  await discover();
  const again = (await callsOfOffers()).slice((await callsOfOffers()).lastIndexOf("DescribeInstanceTypes") + 1);
  const second = again.slice(again.indexOf("DescribeInstanceTypeOfferings"));
  expect(second.length).toBeLessThanOrEqual(12);
  expect(second).not.toContain("DescribeInstanceTypes");
});

it("names one default version for each major version", async () => {
  await setToday();
  await discover();
  for (const [engine, { versions }] of Object.entries((await offers()).databases as unknown as DatabaseOffers)) {
    const majors = [...new Set(versions.map(({ major }) => `${engine} ${major}`))];
    const defaults = versions.filter(({ isDefault }) => isDefault).map(({ major }) => `${engine} ${major}`);
    expect(defaults).toEqual(majors);
  }
});

it("knows the architecture, the size and the kind of each instance type", async () => {
  await discover();
  const named = (name: string) => context.db.instanceType.findUniqueOrThrow({ where: { name } });
  expect(await named("t4g.medium")).toMatchObject({ vcpus: 2, memoryMib: 4096, architecture: "arm64" });
  expect(await named("t3.medium")).toMatchObject({ architecture: "x86_64", isBurstable: true, ebsOptimized: true });
  expect(await named("m3.medium")).toMatchObject({
    vcpus: 1,
    memoryMib: 3840,
    isBurstable: false,
    ebsOptimized: false,
  });
});

it("keeps the earlier offers with their date and the reason if AWS denies the call", async () => {
  await discover();
  const before = await offers();
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DescribeDBEngineVersions", { code: "AccessDenied", accessKeyId });
  expect((await discover()).successful).toBe(true);
  const { triedAt, message, ...kept } = await offers();
  expect(kept).toEqual({ ...before, triedAt: undefined, message: undefined });
  expect([triedAt > before.triedAt, message]).toEqual([true, expect.stringMatching(/permission/)]);
});

it("reads the offers again once a day with the drift scan", async () => {
  await discover();
  const limits = { periodSeconds: 3600, calls: 1000, quietSeconds: 0 };
  const scan = async () => {
    await scanDrift({ ...context.engine, isStopping: () => true }, limits);
    await context.db.driftRegion.updateMany({ data: { dueAt: new Date(0), periodEndsAt: new Date(0) } });
    await scanDrift(context.engine, limits);
    return (await offers()).readAt;
  };
  const { readAt } = await offers();
  expect(await scan()).toEqual(readAt);
  const old = new Date(Date.now() - DAY_MS - 60_000);
  // Those of other providers too: offers that one of them has read within a day are used.
  await context.db.offerList.updateMany({ data: { readAt: old, triedAt: old } });
  expect((await scan())?.getTime()).toBeGreaterThan(old.getTime());
});
