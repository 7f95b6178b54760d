import { randomUUID } from "node:crypto";
import type { Environment } from "@gantry/db";
import { createEnvironment, createServer } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { COMPUTE_OFFERS, recordOffers } from "@gantry/test/support/offers";

const { db, owner, provider } = await startApiTest();
let environment: Environment;
let path: string;

const zones = ["us-east-1a", "us-east-1b", "us-east-1c"];

beforeEach(async () => {
  environment = await createEnvironment(db, provider);
  await recordOffers(db, provider, { compute: { ...COMPUTE_OFFERS, "t3.large": zones, "t2.large": zones } });
  const size = { vcpus: 2, memoryMib: 8192, architecture: "x86_64", isBurstable: true, ebsOptimized: true };
  const names = ["t3.large", "t2.large"];
  await db.instanceType.createMany({ data: names.map((name) => ({ name, ...size })), skipDuplicates: true });
  const { accountId, id: environmentId, region } = environment;
  const sizes = { minimumSize: 1, maximumSize: 8, desiredCapacity: 5 };
  const row = { accountId, providerId: provider.id, environmentId, region, flavor: "t3.medium", provisionedId: "g" };
  const { id } = await db.autoScalingGroup.create({ data: { id: randomUUID(), ...row, ...sizes } });
  await createServer(db, environment, { role: "app_master", flavor: "t3.medium", autoScalingGroupId: id });
  path = `/auto_scaling_groups/${id}`;
});

const modify = (values: object, others: object = {}, query = "") =>
  owner.post(`${path}/modify${query}`, { auto_scaling_group: values, ...others });

async function acceptedInput(values: object, others?: object) {
  const { status, body } = await modify(values, others);
  expect([status, body.request?.type]).toEqual([200, "modify_auto_scaling_group"]);
  return (await db.request.findUniqueOrThrow({ where: { id: body.request.id } })).input;
}

it("accepts another flavor and sizes, and keeps only what changes", async () => {
  const values = { flavor: "t3.large", minimum_size: 1, desired_capacity: 6 };
  const input = await acceptedInput(values, { min_healthy_percentage: 50 });
  expect(input).toEqual({ flavor: "t3.large", desiredCapacity: 6, minHealthyPercentage: 50 });
  const { status, body } = await modify({ maximum_size: 9 });
  expect([status, body.errors]).toEqual([409, [expect.stringContaining("modify_auto_scaling_group")]]);
  expect((await owner.put(path, { auto_scaling_group: { maximum_size: 9 } })).status).toBe(409);
});

it("takes the flavor of the app master for that of a group without one", async () => {
  await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data: { flavor: null } });
  expect((await modify({ flavor: "t3.medium" })).body.errors).toEqual([expect.stringContaining("names no change")]);
  expect(await acceptedInput({ flavor: "t3.large" })).toEqual({ flavor: "t3.large" });
});

/** Inserts a blueprint of the environment. */
async function insertBlueprint(servers: object[], others: { accountId?: string; deletedAt?: Date } = {}) {
  const { accountId, id: environmentId } = environment;
  const data = { id: randomUUID(), accountId, environmentId, name: "saved", servers, ...others };
  return (await db.blueprint.create({ data })).id;
}

describe("with a blueprint", () => {
  it("takes the flavor of its application server, or another one that is named with it", async () => {
    const servers = [
      { role: "app_master", flavor: "t3.medium" },
      { role: "app", flavor: "t3.large", dedicated: false },
    ];
    const blueprintId = await insertBlueprint(servers);
    const { body } = await modify({ blueprint_id: blueprintId }, {}, "?dry_run=true");
    expect(body.plan.changes).toMatchObject([
      { field: "flavor", from: "t3.medium", to: "t3.large" },
      {
        field: "blueprint_id",
        from: null,
        to: blueprintId,
        effect: expect.stringContaining("It replaces 4, 1 at once"),
      },
    ]);
    expect(body.plan.estimate).toMatchObject({ monthly_usd_change: 121.47, is_complete: true });
    const input = await acceptedInput(
      { blueprint_id: blueprintId, flavor: "t3.medium" },
      { min_healthy_percentage: 50 },
    );
    expect(input).toEqual({ blueprintId, flavor: "t3.medium", minHealthyPercentage: 50 });
  });

  it("replaces no instance for the one that it has, unless another flavor takes the place of the blueprint's", async () => {
    const blueprintId = await insertBlueprint([{ role: "solo", flavor: "t3.medium" }]);
    await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data: { blueprintId } });
    const { body } = await modify({ blueprint_id: blueprintId });
    expect(body.errors).toEqual([expect.stringContaining("names no change")]);
    expect((await owner.get(path)).body.auto_scaling_group.blueprint).toMatch(`/blueprints/${blueprintId}`);
    await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data: { flavor: "t3.large" } });
    expect(await acceptedInput({ blueprint_id: blueprintId })).toEqual({ flavor: "t3.medium" });
  });

  it("takes the settings of the app master for null", async () => {
    expect((await modify({ blueprint_id: null })).body.errors).toEqual([expect.stringContaining("names no change")]);
    const blueprintId = await insertBlueprint([{ role: "app", flavor: "t3.large", dedicated: true }]);
    const data = { blueprintId, flavor: "t3.large" };
    await db.autoScalingGroup.updateMany({ where: { environmentId: environment.id }, data });
    expect(await acceptedInput({ blueprint_id: null })).toEqual({ blueprintId: null, flavor: "t3.medium" });
  });

  it.each<[string, object[], object, object, number, RegExp]>([
    [
      "another architecture",
      [{ role: "app", flavor: "t4g.medium" }],
      {},
      {},
      422,
      /blueprint_id: t4g\.medium has the arch/,
    ],
    [
      "another architecture, unless a flavor is named",
      [{ role: "app", flavor: "t4g.medium" }],
      {},
      { flavor: "t3.large", maximum_size: 4 },
      422,
      /^auto_scaling_group\.desired_capacity: /,
    ],
    [
      "hardware that its flavor cannot have",
      [{ role: "app", flavor: "t2.large", dedicated: true }],
      {},
      {},
      422,
      /^auto_scaling_group\.blueprint_id: .*dedicated/,
    ],
    ["no application server", [{ role: "util", flavor: "t3.large" }], {}, {}, 422, /blueprint_id: has no server with/],
    [
      "a removal",
      [{ role: "app", flavor: "t3.large" }],
      { deletedAt: new Date() },
      {},
      409,
      /blueprint .* was deleted/,
    ],
  ])("refuses one with %s", async (_name, servers, others, values, code, sentence) => {
    const { status, body } = await modify({ blueprint_id: await insertBlueprint(servers, others), ...values });
    expect([status, body.errors]).toEqual([code, [expect.stringMatching(sentence)]]);
  });

  it("checks it again for a retry", async () => {
    const blueprintId = await insertBlueprint([{ role: "app", flavor: "t3.large" }]);
    const { body } = await modify({ blueprint_id: blueprintId });
    const { id } = body.request;
    await db.request.update({ where: { id }, data: { finishedAt: new Date(), successful: false, message: "Failed" } });
    await db.blueprint.update({ where: { id: blueprintId }, data: { deletedAt: new Date() } });
    const refused = await owner.post(`/requests/${id}/retry`, {});
    expect([refused.status, refused.body.errors]).toEqual([409, [expect.stringContaining("was deleted")]]);
    await db.blueprint.update({ where: { id: blueprintId }, data: { deletedAt: null } });
    const retried = await owner.post(`/requests/${id}/retry`, {});
    const again = await db.request.findUniqueOrThrow({ where: { id: retried.body.request.id } });
    expect(again.input).toEqual({ blueprintId, flavor: "t3.large" });
  });
});

it.each([
  [undefined, "It replaces 4, 1 at once, which usually takes 16 to 32 minutes."],
  [50, "It replaces 4, 2 at once, which usually takes 8 to 16 minutes."],
  [0, "It replaces 4, 4 at once, which usually takes 4 to 8 minutes."],
  [100, "It replaces 4, a new one first, which usually takes 16 to 32 minutes."],
])(
  "plans how many are replaced at once with %s %% healthy, and what it costs",
  async (min_healthy_percentage, effect) => {
    const { body } = await modify({ flavor: "t3.large" }, { min_healthy_percentage }, "?dry_run=true");
    expect(body.plan).toMatchObject({ requests: ["modify_auto_scaling_group"], stages: ["replace", "resize"] });
    expect(body.plan.changes).toEqual([
      {
        field: "flavor",
        from: "t3.medium",
        to: "t3.large",
        effect: expect.stringContaining(effect),
        away_seconds: null,
        undo: expect.stringContaining("a cancel does that"),
      },
    ]);
    // Four of t3.medium at $0.0416 an hour, and of t3.large at $0.0832.
    expect(body.plan.estimate).toMatchObject({ monthly_usd_change: 121.47, is_complete: true });
    expect(await db.request.count({ where: { resourceId: path.split("/").at(-1) ?? "" } })).toBe(0);
  },
);

it("plans a change of sizes by PUT too", async () => {
  const { body } = await owner.put(`${path}?dry_run=true`, { auto_scaling_group: { maximum_size: 9 } });
  expect(body.plan.changes).toMatchObject([{ field: "maximum_size", from: 8, to: 9 }]);
});

it.each<[string, object, RegExp]>([
  ["nothing new", { flavor: "t3.medium", maximum_size: 8 }, /^auto_scaling_group: names no change/],
  ["a minimum above the maximum", { minimum_size: 9 }, /^auto_scaling_group\.minimum_size: /],
  ["a capacity above the maximum", { desired_capacity: 9 }, /^auto_scaling_group\.desired_capacity: /],
  ["a maximum below the capacity", { maximum_size: 4 }, /^auto_scaling_group\.desired_capacity: /],
  [
    "a flavor that does not exist",
    { flavor: "t9.huge" },
    /flavor: AWS does not offer t9\.huge in us-east-1; .*t3\.large/,
  ],
  ["one of another architecture", { flavor: "t4g.medium" }, /flavor: t4g\.medium has the architecture arm64/],
  ["one that a zone lacks", { flavor: "m7i.large" }, /flavor: AWS does not offer m7i\.large in us-east-1a, where/],
])("refuses %s, with the field's name", async (_name, values, sentence) => {
  const { status, body } = await modify(values);
  expect([status, body.errors]).toEqual([422, [expect.stringMatching(sentence)]]);
});

it.each([-1, 101, 50.5])("refuses that %d %% of the instances stay", async (min_healthy_percentage) => {
  const { status, body } = await modify({ flavor: "t3.large" }, { min_healthy_percentage });
  expect([status, body.errors]).toEqual([422, [expect.stringMatching(/^min_healthy_percentage: /)]]);
});

it("asks only for the zones in which the environment's network has subnets", async () => {
  const { accountId, region } = environment;
  const own = { accountId, providerId: provider.id };
  const network = await db.network.create({
    data: { id: randomUUID(), ...own, location: region, cidr: "10.0.0.0/16" },
  });
  const subnet = { id: randomUUID(), accountId, networkId: network.id, location: "us-east-1b", cidr: "10.0.0.0/24" };
  await db.subnet.create({ data: subnet });
  await db.environment.update({ where: { id: environment.id }, data: { networkId: network.id } });
  expect(await acceptedInput({ flavor: "m7i.large" })).toEqual({ flavor: "m7i.large" });
});

it("refuses a group without its app master", async () => {
  await db.server.updateMany({ where: { environmentId: environment.id }, data: { deletedAt: new Date() } });
  expect((await modify({ maximum_size: 9 })).status).toBe(409);
});
