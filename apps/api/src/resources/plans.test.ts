import type { Environment } from "@gantry/db";
import { countRows, createEnvironment, createServer, OTHER_REGION, REGION, ZONE } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { createDatabase } from "@gantry/test/support/databases";
import { recordOffers } from "@gantry/test/support/offers";

const { api, db, owner, provider } = await startApiTest({ settings: { SERVER_IMAGE_PARAMETER: "/ours/image" } });
const compute = { "t3.medium": [ZONE], "m7i.large": [ZONE], "x9.huge": [ZONE] };
await recordOffers(db, provider, { compute });
let environment: Environment;
beforeEach(async () => {
  environment = await createEnvironment(db, provider);
});

async function planOf(path: string, body: object) {
  const before = await countRows(db);
  const reply = await owner.post(`${path}?dry_run=true`, body);
  expect([reply.status, reply.body.errors]).toEqual([200, undefined]);
  expect(await countRows(db)).toEqual(before);
  return reply.body.plan;
}

const planOfServer = (server: object = {}) =>
  planOf("/servers", {
    environment: environment.id,
    server: { role: "app", flavor: "t3.medium", volume_type: "gp3", ...server },
  });
const planOfDatabase = (server: object, more: object = {}) =>
  planOf("/database-services", { provider: provider.id, database_server: { location: ZONE, ...server }, ...more });
const postgres = { version: "16", flavor: "db.t4g.micro" };

describe("a plan", () => {
  it("of a server names its zone, flavor, image, disks, address and monthly price", async () => {
    const plan = await planOfServer({ volume_size: 50, mnt_volume_size: 10 });
    expect(plan.resources).toEqual([
      {
        ...{ kind: "server", count: 1, role: "app", region: REGION, zone: ZONE, flavor: "t3.medium" },
        ...{ dedicated: false, image_parameter: "/ours/image", public_address: true },
        volumes: [
          { name: "root", type: "gp3", size_gb: 16 },
          { name: "data", type: "gp3", size_gb: 50 },
          { name: "mnt", type: expect.any(String), size_gb: 10 },
        ],
      },
    ]);
    // 730 hours of t3.medium, 16 and 50 GB of gp3, 730 hours of an address; the type of /mnt is the region's affair.
    const [instance, root, data, , address] = plan.estimate.lines;
    expect([instance, root, data, address]).toEqual([
      { what: "1 × t3.medium", monthly_usd: 30.37 },
      { what: "1 × 16 GB gp3", monthly_usd: 1.28 },
      { what: "1 × 50 GB gp3", monthly_usd: 4 },
      { what: "1 × public IPv4 address", monthly_usd: 3.65 },
    ]);
    expect(plan.estimate).toMatchObject({ currency: "USD", region: REGION, is_complete: true });
    expect(plan.estimate.prices_as_of).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(plan.estimate.note).toContain("Approximate");
  });

  it("of a boot counts equal servers of a zone as one resource, and sums their prices", async () => {
    const path = `/environments/${environment.id}/boot`;
    const configuration = { type: "custom", apps: { count: 8, flavor: "t3.medium" } };
    const plan = await planOf(path, { cluster_configuration: { configuration } });
    const counts = plan.resources.map(({ role, zone, count }: Record<string, unknown>) => [role, zone, count]);
    expect(counts).toHaveLength(new Set(counts.map(String)).size);
    expect(counts.reduce((sum: number, [, , count]: number[]) => sum + (count ?? 0), 0)).toBe(8);
    const instances = plan.estimate.lines.filter(({ what }: { what: string }) => what.endsWith("t3.medium"));
    const paid = instances.reduce((sum: number, line: { monthly_usd: number }) => sum + line.monthly_usd, 0);
    expect(paid).toBeCloseTo(8 * 30.368, 1);
  });

  it("of a database names its engine, version, class, storage and zones, and prices two copies of a multi-AZ one", async () => {
    const single = await planOfDatabase(postgres);
    expect(single.resources).toEqual([
      {
        ...{ kind: "database_server", count: 1, region: REGION, zone: ZONE, flavor: "db.t4g.micro" },
        ...{ engine: "postgres", version: "16.15", multi_az: false },
        volumes: [{ name: "storage", type: "gp3", size_gb: 20 }],
      },
    ]);
    expect(single.estimate).toMatchObject({ monthly_usd: 13.98, is_complete: true });
    const double = await planOfDatabase({ ...postgres, modifiers: { multi_az: true } });
    expect(double.estimate.monthly_usd).toBe(27.96);
  });

  it("of a replica prices only the replica", async () => {
    const { masterId } = await createDatabase(db, api.env, { accountId: owner.accountId, provider });
    const body = { replication_source: masterId, database_server: { flavor: "db.t4g.micro" } };
    const plan = await planOf("/database-servers", body);
    expect(plan.resources).toMatchObject([{ kind: "database_server", count: 1, flavor: "db.t4g.micro" }]);
  });

  it("of a network names its subnets' zones, and costs nothing", async () => {
    const network = { cidr: "10.0.0.0/16", location: REGION };
    const plan = await planOf("/networks", { provider: provider.id, network });
    const [first, ...subnets] = plan.resources;
    expect(first).toEqual({ kind: "network", count: 1, region: REGION });
    const zones = await db.providerLocation.findMany({
      where: { providerId: provider.id, parent: { locationId: REGION } },
      orderBy: { locationId: "asc" },
    });
    expect(zones.length).toBeGreaterThan(0);
    expect(subnets).toEqual(zones.map(({ locationId: zone }) => ({ kind: "subnet", count: 1, region: REGION, zone })));
    expect(plan.estimate).toMatchObject({ monthly_usd: 0, lines: [], is_complete: true });
  });

  it("of a scaling group prices the servers other than the app master, now and at the maximum", async () => {
    await createServer(db, environment, { role: "app_master", flavor: "t3.micro" });
    const sizes = { minimum_size: 2, maximum_size: 4 };
    const plan = await planOf("/auto_scaling_groups", { environment: environment.id, auto_scaling_group: sizes });
    expect(plan.resources).toMatchObject([
      { kind: "auto_scaling_group", count: 1 },
      { kind: "server", count: 1, max_count: 3, flavor: "t3.micro" },
    ]);
    // A t3.micro, its root disk of 16 GB and its address.
    expect(plan.estimate).toMatchObject({ monthly_usd: 12.52, max_monthly_usd: 37.57 });
  });

  it("of an address and of a volume has their prices", async () => {
    const address = await planOf("/addresses", { provider: provider.id, address: { location: REGION } });
    expect(address.estimate.monthly_usd).toBe(3.65);
    const volume = { location: ZONE, size: 100, volume_type: "gp3" };
    const plan = await planOf("/volumes", { provider: provider.id, volume });
    expect(plan.estimate).toMatchObject({ monthly_usd: 8 });
  });
});

describe("an estimate", () => {
  it("names a flavor without a price, and is not complete", async () => {
    const plan = await planOfServer({ flavor: "x9.huge" });
    expect(plan.estimate.lines[0]).toEqual({ what: "1 × x9.huge", monthly_usd: null });
    expect(plan.estimate).toMatchObject({
      is_complete: false,
      note: expect.stringContaining("no price for x9.huge."),
    });
    // The root disk, the data disk and the address remain.
    expect(plan.estimate.monthly_usd).toBeGreaterThan(3.65);
  });

  it("has no price for dedicated hardware, which AWS bills differently", async () => {
    const plan = await planOfServer({ flavor: "m7i.large", dedicated: true });
    expect(plan.estimate.note).toContain("no price for dedicated m7i.large.");
  });

  it("has no price for Aurora, and names it", async () => {
    const plan = await planOfDatabase({ engine: "aurora", version: "8.0", flavor: "db.t4g.medium" });
    expect(plan.estimate.note).toContain("db.t4g.medium of aurora");
    expect(plan.estimate).toMatchObject({ monthly_usd: 0, is_complete: false });
  });

  it("of a region without prices is none, and names the region", async () => {
    const address = { location: OTHER_REGION };
    const plan = await planOf("/addresses", { provider: provider.id, address });
    expect(plan).toMatchObject({
      estimate: null,
      estimate_note: `Gantry has no prices for ${OTHER_REGION}, only for us-east-1`,
    });
  });
});

it("has no estimate if nothing is created", async () => {
  const { id } = await createServer(db, environment);
  expect(Object.keys(await planOf(`/servers/${id}/reboot`, {}))).toEqual(["stages", "requests", "creates", "removes"]);
});
