import { DescribeLaunchTemplateVersionsCommand } from "@aws-sdk/client-ec2";
import { GetInstanceProfileCommand, ListRoleTagsCommand } from "@aws-sdk/client-iam";
import type { AwsAccount, ObjectKind } from "@gantry/local-stack";
import { awsOpener } from "@gantry/worker";
import { aws, REGION, ZONES } from "../support/account.js";
import { type Json, type LiveGantry, startLiveGantry } from "../support/live.js";

const OWN = { team: "shop", "cost:center": "a b/42" };

let gantry: LiveGantry;
let keys: AwsAccount;
let provider: number;
/** The paths of the records, by the names that wrap them. */
const paths: Record<string, string> = {};

beforeAll(async () => {
  gantry = await startLiveGantry();
  const taken = await gantry.addProvider("specification");
  keys = taken.keys;
  provider = taken.providerId;
});
afterAll(() => gantry.close());

const idIn = (path: string) => path.split("/").at(-1) as string;

/** Creates a record, and returns its path when it exists in AWS. */
async function create(name: string, path: string, body: object): Promise<string> {
  const { resource } = await gantry.done(await gantry.owner.post(path, body));
  const created = new URL(resource).pathname;
  paths[name] = created;
  return created;
}

async function show(path: string): Promise<Json> {
  return Object.values((await gantry.owner.get(path)).body)[0] as Json;
}

const isOwn = ([key]: [string, unknown]) => !/^(Name$|gantry:|aws:)/.test(key);
const ownOf = (tags: Record<string, string>) => Object.fromEntries(Object.entries(tags).filter(isOwn));
const listed = (tags: { Key: string | undefined; Value: string | undefined }[] = []) =>
  ownOf(Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value])));

/** The own tags of the objects in AWS that were made for a record, by kind. */
async function inAws(path: string): Promise<Partial<Record<ObjectKind, object[]>>> {
  const [, collection = "", id] = path.split("/");
  const type = collection
    .replaceAll("-", "_")
    .replace("addresses", "address")
    .replace(/([^s])s$/, "$1");
  const found = await aws.inventory(keys);
  const entries = Object.entries(found).map(([kind, objects]) => {
    const own = objects.filter(({ tags }) => tags["gantry:resource"] === `${type}/${id}`);
    return [kind, own.map(({ tags }) => ownOf(tags))] as const;
  });
  return Object.fromEntries(entries.filter(([, objects]) => objects.length > 0));
}

/** Replaces the tags of a record, and waits for the Request that brings them to AWS. */
async function retag(name: string, path: string, tags: object): Promise<void> {
  const { owner, done } = gantry;
  const answer = await owner.patch(path, { [name]: { tags } });
  expect([answer.status, answer.body]).toEqual([200, expect.anything()]);
  const [request] = (await owner.get(`${path}/requests?type=update_tags`)).body.requests;
  expect((await done({ status: 200, body: { request } })).type).toBe("update_tags");
}

it("applies a network's own tags and name to everything that is created for it", async () => {
  const network = { cidr: "10.0.0.0/16", location: REGION, name: "shop net", tags: OWN };
  const path = await create("network", "/networks", { provider, network });
  expect(await show(path)).toMatchObject({ name: "shop net", tags: OWN });
  expect(await inAws(path)).toEqual({ vpc: [OWN], internet_gateway: [OWN], route_table: [OWN] });
  expect((await aws.inventory(keys, { kinds: ["vpc"] })).vpc[0]?.tags.Name).toBe("shop net");
  const { subnets } = (await gantry.owner.get("/subnets?tag=team:shop")).body;
  expect(subnets.length).toBeGreaterThan(1);
  expect(await inAws(`/subnets/${subnets[0].id}`)).toEqual({ subnet: [OWN] });
  const block = { cidr: "10.0.250.0/24", location: ZONES[0], tags: { team: "own" } };
  const subnet = await create("subnet", "/subnets", { network: idIn(path), subnet: block });
  expect(await inAws(subnet)).toEqual({ subnet: [{ ...OWN, team: "own" }] });
});

it("applies those of an environment to its servers, their volumes, firewall and group", async () => {
  const { owner, done } = gantry;
  const created = await owner.post(`/accounts/${owner.accountId}/environments`, {
    network: idIn(paths.network as string),
    environment: { name: "shop", tags: OWN },
  });
  const { id } = created.body.environment;
  paths.environment = `/environments/${id}`;
  const apps = { count: 1, flavor: "m3.medium", volume_size: "10" };
  const configuration = { cluster_configuration: { configuration: { type: "custom", apps } } };
  await done(await owner.post(`${paths.environment}/boot`, configuration));
  const [firewall] = (await owner.get(`${paths.environment}/firewalls`)).body.firewalls;
  paths.firewall = `/firewalls/${firewall.id}`;
  expect(await inAws(paths.firewall)).toEqual({ security_group: [OWN, OWN], key_pair: [OWN] });
  const input = { name: "jobs", role: "util", flavor: "m3.medium", tags: { team: "jobs" } };
  const server = await create("server", "/servers", { environment: id, server: input });
  const tags = { ...OWN, team: "jobs" };
  expect((await show(server)).tags).toEqual(tags);
  const { volumes } = (await owner.get(`${server}/volumes`)).body;
  expect(volumes.map((volume: Json) => volume.tags)).toEqual([tags, tags]);
  // The root disk comes with the instance.
  expect(await inAws(server)).toEqual({ instance: [tags], volume: [tags] });
  const data = volumes.find(({ name }: Json) => name === "data");
  expect(await inAws(`/volumes/${data.id}`)).toEqual({ volume: [tags] });
  const sizes = { minimum_size: 2, maximum_size: 3, tags: { group: "g" } };
  const group = await create("auto_scaling_group", "/auto_scaling_groups", {
    environment: id,
    auto_scaling_group: sizes,
  });
  const ofGroup = { ...OWN, group: "g" };
  expect(await inAws(group)).toEqual({
    auto_scaling_group: [ofGroup],
    launch_template: [ofGroup],
    instance: [ofGroup],
    volume: [ofGroup],
  });
  const { request } = (await owner.post(`${server}/snapshot`, { snapshot: { tags: { kept: "1" } } })).body;
  await done({ status: 200, body: { request } });
  const [snapshot] = (await owner.get(`${server}/snapshots`)).body.snapshots;
  paths.snapshot = `/snapshots/${snapshot.id}`;
  expect(await inAws(paths.snapshot)).toEqual({ snapshot: [{ ...tags, kept: "1" }] });
});

it("applies those of volumes, addresses and roles", async () => {
  const volume = { location: ZONES[0], size: 5, tags: OWN };
  expect(await inAws(await create("volume", "/volumes", { provider, volume }))).toEqual({ volume: [OWN] });
  const address = { location: REGION, tags: OWN };
  expect(await inAws(await create("address", "/addresses", { provider, address }))).toEqual({ address: [OWN] });
  const role = await create("iam_role", "/iam_roles", { provider, iam_role: { name: "shop-role", tags: OWN } });
  expect((await show(role)).tags).toEqual(OWN);
  expect(await roleTags()).toEqual([OWN, OWN]);
});

async function roleTags() {
  const { iam } = awsOpener(10)(REGION, keys);
  const role = await iam.send(new ListRoleTagsCommand({ RoleName: "shop-role" }));
  const profile = await iam.send(new GetInstanceProfileCommand({ InstanceProfileName: "shop-role" }));
  return [listed(role.Tags), listed(profile.InstanceProfile?.Tags)];
}

it("applies those of a database to its servers and its firewall, and those of a server to its snapshots", async () => {
  const { owner } = gantry;
  const server = { engine: "mysql", version: "5.7.17", flavor: "db.m3.medium", location: ZONES[0], tags: { db: "m" } };
  const database_service = { name: "orders", tags: OWN };
  const body = { provider, network: idIn(paths.network as string), database_service, database_server: server };
  const path = await create("database_service", "/database-services", body);
  expect(await inAws(path)).toEqual({ db_subnet_group: [OWN] });
  const [master] = (await owner.get(`${path}/servers`)).body.database_servers;
  expect(await inAws(`/database-servers/${master.id}`)).toEqual({ db_instance: [{ ...OWN, db: "m" }] });
  const [firewall] = (await owner.get(`/database-servers/${master.id}/firewalls`)).body.firewalls;
  expect(await inAws(`/firewalls/${firewall.id}`)).toEqual({ security_group: [OWN] });
  const replica = { replication_source: master.id, database_server: { tags: { db: "r" } } };
  expect(await inAws(await create("database_server", "/database-servers", replica))).toEqual({
    db_instance: [{ ...OWN, db: "r" }],
  });
  const taken = await create("database_server_snapshot", `/database-servers/${master.id}/snapshots`, {});
  expect(await inAws(taken)).toEqual({ db_snapshot: [{ ...OWN, db: "m" }] });
});

it("applies a new map to every object of a record, and removes the keys that it no longer has", async () => {
  const changed = { team: "web", fresh: "" };
  for (const [name, path] of Object.entries(paths)) {
    if (["environment", "auto_scaling_group"].includes(name)) continue;
    await retag(name, path, changed);
    expect([name, (await show(path)).tags]).toEqual([name, changed]);
    if (name === "iam_role") expect(await roleTags()).toEqual([changed, changed]);
    else for (const tags of Object.values(await inAws(path)).flat()) expect([name, tags]).toEqual([name, changed]);
  }
});

it("updates the parts of a record that have its tags", async () => {
  const { owner } = gantry;
  const { volumes } = (await owner.get(`${paths.server}/volumes`)).body;
  const [root, data] = volumes.sort((a: { name: string }) => (a.name === "root" ? -1 : 1));
  await retag("volume", `/volumes/${data.id}`, { team: "data", fresh: "" });
  await retag("server", paths.server as string, { team: "api" });
  expect((await show(`/volumes/${root.id}`)).tags).toEqual({ team: "api" });
  expect((await show(`/volumes/${data.id}`)).tags).toEqual({ team: "data" });
  expect(await inAws(paths.server as string)).toEqual({ instance: [{ team: "api" }], volume: [{ team: "api" }] });
  expect(await inAws(`/volumes/${data.id}`)).toEqual({ volume: [{ team: "data" }] });
});

it("launches a group's instances with its current tags", async () => {
  const { owner, done } = gantry;
  const path = paths.auto_scaling_group as string;
  const request = await done(await owner.patch(path, { auto_scaling_group: { tags: { group: "h" } } }));
  expect(request.type).toBe("update_tags");
  const { ec2 } = awsOpener(10)(REGION, keys);
  const row = await gantry.api.db.cloudObject.findFirstOrThrow({
    where: { resourceId: idIn(path), kind: "launch_template" },
  });
  const query = { LaunchTemplateId: row.cloudId ?? "", Versions: ["$Latest"] };
  const { LaunchTemplateVersions = [] } = await ec2.send(new DescribeLaunchTemplateVersionsCommand(query));
  const data = LaunchTemplateVersions[0]?.LaunchTemplateData;
  const specified = data?.TagSpecifications?.map(({ ResourceType = "", Tags }): [string, object] => [
    ResourceType,
    listed(Tags as never),
  ]);
  const { instance: ofInstance, volume: ofVolume } = Object.fromEntries(specified ?? []);
  expect([ofInstance, ofVolume]).toEqual([{ group: "h" }, { group: "h" }]);
  await done(await owner.put(path, { auto_scaling_group: { minimum_size: 3, desired_capacity: 3 } }));
  const { instance = [] } = await inAws(path);
  expect(instance).toContainEqual({ group: "h" });
});

it("applies an environment's new tags to what is created later, and to its firewall at once", async () => {
  await retag("environment", paths.environment as string, { team: "new" });
  expect((await show(paths.firewall as string)).tags).toEqual({ team: "web", fresh: "" });
  const server = { name: "later", role: "util", flavor: "m3.medium" };
  const body = { environment: Number(idIn(paths.environment as string)), server };
  const path = await create("later", "/servers", body);
  expect((await inAws(path)).instance).toEqual([{ team: "new" }]);
});

it("keeps own tags when a server's record is applied", async () => {
  await gantry.done(await gantry.owner.post(`${paths.later}/apply`));
  expect((await inAws(paths.later as string)).instance).toEqual([{ team: "new" }]);
});
