import { randomUUID } from "node:crypto";
import { createEnvironment, createProvider, createServer, createVolume, REGION } from "@gantry/test/support/api";
import { endRequest, expectRefusal, startApiTest } from "@gantry/test/support/api-test";
import { recordOffers } from "@gantry/test/support/offers";

const { db, owner } = await startApiTest();
const provider = await createProvider(db, owner.accountId);
const environment = await createEnvironment(db, provider);

const [here, elsewhere] = [[`${REGION}a`], [`${REGION}b`]];
const types = { t: true, m: false };
const sizes = { medium: [1, 4], large: [2, 8], xlarge: [4, 16] } as const;
await db.instanceType.createMany({
  data: Object.entries(types).flatMap(([letter, isBurstable]) =>
    Object.entries(sizes).map(([size, [vcpus, gib]]) => {
      const facts = { vcpus, memoryMib: gib * 1024, architecture: "x86_64", isBurstable, ebsOptimized: true };
      return { name: `${letter}3.${size}`, ...facts };
    }),
  ),
  skipDuplicates: true,
});
await recordOffers(db, provider, {
  compute: {
    ...{ "t2.medium": here, "t3.medium": here, "t3.large": here, "t3.xlarge": here },
    ...{ "m3.medium": here, "m3.large": here, "m3.xlarge": elsewhere, "t4g.medium": here },
  },
});

type Changes = Parameters<typeof createServer>[2];

const server = (changes: Changes = {}) =>
  createServer(db, environment, { flavor: "t3.medium", state: "running", location: `${REGION}a`, ...changes });
const modify = (id: number, flavor: string, apply?: "now" | "next-stop", query = "") =>
  owner.post(`/servers/${id}/modify${query}`, { server: { flavor }, ...(apply && { apply }) });

it("creates a Request with the flavor by either of its names, at once unless the caller says otherwise", async () => {
  const { id } = await server();
  const { status, body } = await modify(id, "t3_large");
  expect([status, body.request.type]).toEqual([200, "modify_server"]);
  const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
  expect(input).toEqual({ flavor: "t3.large", apply: "now" });
});

describe("a dry run", () => {
  const planOf = async (changes: Changes, apply?: "next-stop") => {
    const { id } = await server(changes);
    await createVolume(db, provider, { serverId: id, sizeGb: 10, volumeType: "gp3" });
    const { body } = await modify(id, "t3.large", apply, "?dry_run=true");
    expect(await db.request.count({ where: { resourceId: String(id) } })).toBe(0);
    return body.plan;
  };

  it("says what happens meanwhile, for how long, what it costs and how it is undone, and writes nothing", async () => {
    const plan = await planOf({});
    expect([plan.requests, plan.stages]).toEqual([["modify_server"], ["server.stop", "server.modify", "server.start"]]);
    expect(plan.changes).toEqual([
      {
        field: "flavor",
        from: "t3.medium",
        to: "t3.large",
        effect: expect.stringContaining("its public address changes unless it is an Elastic IP address"),
        away_seconds: { least: 60, most: 300 },
        undo: expect.stringContaining("a cancel does that"),
      },
    ]);
    // t3.medium at $0.0416 an hour, and t3.large at $0.0832.
    expect(plan.estimate).toMatchObject({ monthly_usd_change: 30.37, is_complete: true });
  });

  it("of a stopped server, or for the next stop, shows no time away", async () => {
    const stopped = await planOf({ state: "stopped" });
    expect(stopped.changes).toMatchObject([{ effect: "The server stays stopped.", away_seconds: null }]);
    const pending = await planOf({}, "next-stop");
    expect(pending.changes).toMatchObject([{ effect: /^Nothing happens until/, away_seconds: null }].map(expectedOf));
  });

  const expectedOf = ({ effect, ...rest }: { effect: RegExp; away_seconds: null }) => {
    return { ...rest, effect: expect.stringMatching(effect) };
  };
});

it.each<[string, Changes, string, RegExp]>([
  ["the flavor that it has", {}, "t3.medium", /^server\.flavor: server \d+ already has flavor t3\.medium$/],
  [
    "one that its zone does not offer",
    {},
    "m3.xlarge",
    /^server\.flavor: AWS does not offer m3\.xlarge in us-east-1a; the server can get t3\.xlarge, .*t3\.large/,
  ],
  [
    "one that does not exist",
    {},
    "t9.huge",
    /AWS does not offer t9\.huge in us-east-1a; the server can get m3\.medium, /,
  ],
  [
    "one of another architecture",
    {},
    "t4g.medium",
    /^server\.flavor: t4g\.medium has the architecture arm64, but the server's image needs x86_64; the server can get/,
  ],
  [
    "one without dedicated hardware",
    { dedicated: true },
    "t2.medium",
    /^server\.flavor: AWS does not offer dedicated hardware for t2\.medium;.*the server can get (?!.*t2)/,
  ],
  [
    "one without the CPU credits that it has",
    { cpuCredits: "unlimited" },
    "m3.large",
    /^server\.flavor: m3\.large does not use CPU credits;.*the server can get t3\.large, t3\.xlarge, t2\.medium \(/,
  ],
])("refuses to give a server %s, and writes nothing", async (_name, changes, flavor, sentence) => {
  const { id } = await server(changes);
  await expectRefusal(db, () => modify(id, flavor), sentence);
});

it.each<[string, Changes, RegExp]>([
  ["that is not provisioned", { provisionedId: null }, /^server \d+ is not provisioned yet$/],
  ["that is gone from AWS", { state: "terminated" }, /^server \d+ no longer exists in AWS$/],
  [
    "in an auto scaling group",
    { autoScalingGroupId: randomUUID() },
    /belongs to auto scaling group .*; remove the group, modify the server and create the group again$/,
  ],
])("refuses a server %s, and writes nothing", async (_name, changes, sentence) => {
  const { id } = await server(changes);
  const { status, body } = await modify(id, "t3.large");
  expect([status, body.errors]).toEqual([409, [expect.stringMatching(sentence)]]);
  expect(await db.request.count({ where: { resourceType: "server", resourceId: String(id) } })).toBe(0);
});

it("refuses a server that is being changed, and names the Request", async () => {
  const { id } = await server();
  const { body } = await owner.post(`/servers/${id}/stop`);
  const refused = await modify(id, "t3.large");
  expect([refused.status, refused.body.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
});

it("shows the pending flavor, and takes it back with the present one", async () => {
  const { id } = await server({ pendingFlavor: "t3.large" });
  expect((await owner.get(`/servers/${id}`)).body.server.pending).toEqual({ flavor: { id: "t3_large" } });
  const { status, body } = await modify(id, "t3.medium", "next-stop");
  expect([status, body.request.type]).toEqual([200, "modify_server"]);
});

it("retries a failed change only while it would be accepted now", async () => {
  const { id } = await server();
  const { body } = await modify(id, "t3.large");
  await endRequest(db, body.request.id, false);
  await db.server.update({ where: { id }, data: { cpuCredits: "unlimited", flavor: "t3.large" } });
  const retried = await owner.post(`/requests/${body.request.id}/retry`);
  expect([retried.status, retried.body.errors]).toEqual([422, [expect.stringContaining("already has flavor")]]);
});
