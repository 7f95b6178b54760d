import { aws } from "../support/account.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

// With the facts of AWS today: m3 instances and PostgreSQL 9.6 are gone, and us-east-1e offers almost nothing.

let gantry: LiveGantry;
let owner: LiveGantry["owner"];
let providerId: number;
let networkId: string;
let keys: Awaited<ReturnType<LiveGantry["addProvider"]>>["keys"];

beforeAll(async () => {
  gantry = await startLiveGantry();
  owner = gantry.owner;
  ({ keys, providerId } = await gantry.addProvider("today"));
  const network = { cidr: "10.0.0.0/16", location: "us-east-1" };
  const { resource } = await gantry.done(await owner.post("/networks", { provider: providerId, network }));
  networkId = resource.split("/").at(-1) ?? "";
});
afterAll(() => gantry.close());

async function environment(name: string): Promise<number> {
  const application = { name, repository: `git@example.com:${name}.git`, type: "rack" };
  const { id } = (await owner.post("/applications", { application })).body.application;
  const body = { network: networkId, environment: { name, application_id: id } };
  return (await owner.post(`/accounts/${owner.accountId}/environments`, body)).body.environment.id;
}

const boot = (id: number, configuration: object) =>
  owner.post(`/environments/${id}/boot`, { cluster_configuration: { configuration } });

it("boots eight servers of the default flavor in us-east-1, none of them in us-east-1e", async () => {
  const id = await environment("eight");
  const utils = Array.from({ length: 6 }, (_, i) => ({ name: `jobs${i}` }));
  await gantry.done(await boot(id, { type: "custom", apps: { count: 2 }, utils }));
  const { servers } = (await owner.get(`/servers?environment=${id}&per_page=100`)).body;
  const zones = servers.map(({ location }: { location: string }) => location);
  expect(servers.map(({ flavor }: { flavor: { id: string } }) => flavor.id)).toEqual(Array(8).fill("t3_medium"));
  expect(new Set(zones)).toEqual(new Set(["a", "b", "c", "d", "f"].map((letter) => `us-east-1${letter}`)));
});

it("provisions a scaling group over a network of six zones", async () => {
  const { subnets } = (await owner.get(`/subnets?network=${networkId}&per_page=100`)).body;
  expect(subnets).toHaveLength(6);
  const id = await environment("scaled");
  await gantry.done(await boot(id, { type: "solo" }));
  const sizes = { minimum_size: 2, maximum_size: 3 };
  const { resource } = await gantry.done(
    await owner.post("/auto_scaling_groups", { environment: id, auto_scaling_group: sizes }),
  );
  expect((await owner.get(new URL(resource).pathname)).body.auto_scaling_group.desired_capacity).toBe(2);
});

it.each([
  ["postgres", "16", "db.t4g.medium", /^16\.\d+$/],
  ["mysql", "8.4", "db.t4g.micro", /^8\.4\.\d+$/],
  ["aurora-postgresql", "17", "db.t4g.medium", /^17\.\d+$/],
  ["aurora", "8.0", "db.r6g.large", /^8\.0\.mysql_aurora\.3\./],
])("provisions %s %s on %s, and shows the version that runs", async (engine, version, flavor, runs) => {
  const database_server = { engine, version, flavor, location: "us-east-1b" };
  const { resource } = await gantry.done(
    await owner.post("/database-services", { provider: providerId, network: networkId, database_server }),
  );
  const path = new URL(resource).pathname;
  expect((await owner.get(path)).body.database_service).toMatchObject({ engine, version: expect.stringMatching(runs) });
  const { database_servers } = (await owner.get(`${path}/servers`)).body;
  expect(database_servers[0]).toMatchObject({ storage_encrypted: true, version: expect.stringMatching(runs) });
});

it("keeps a database's last state in a snapshot unless the caller says otherwise, and lifts its protection", async () => {
  const database_server = { engine: "postgres", version: "16", flavor: "db.t4g.micro", location: "us-east-1a" };
  const create = async (name: string) => {
    const service = { provider: providerId, network: networkId, database_service: { name }, database_server };
    return new URL((await gantry.done(await owner.post("/database-services", service))).resource).pathname;
  };
  await gantry.done(await owner.delete(await create("kept")));
  await gantry.done(await owner.delete(`${await create("dropped")}?final_snapshot=false`));
  const { database_server_snapshots: snapshots } = (
    await owner.get(`/providers/${providerId}/database_server_snapshots`)
  ).body;
  expect(snapshots).toEqual([expect.objectContaining({ name: "kept-final" })]);
  expect((await aws.inventory(keys, { kinds: ["db_snapshot"] })).db_snapshot).toHaveLength(1);
});

it("refuses what AWS no longer offers, before any call to AWS", async () => {
  const id = await environment("old");
  const server = await owner.post("/servers", { environment: id, server: { flavor: "x9.huge", role: "app" } });
  expect([server.status, server.body.errors[0]]).toEqual([422, expect.stringContaining("us-east-1 does not offer")]);
  const database_server = { engine: "postgres", version: "9.6.3", flavor: "db.m3.medium", location: "us-east-1a" };
  const database = await owner.post("/database-services", { provider: providerId, database_server });
  expect([database.status, database.body.errors[0]]).toEqual([
    422,
    expect.stringMatching(/9.6.3 is not a version of postgres; use one of .*16/),
  ]);
});
