import type { AwsAccount, Inventory } from "@gantry/local-stack";
import { type RequestType, requestTypeDefinition, requestTypes } from "@gantry/resources";
import { aws } from "../support/account.js";
import { type Json, type LiveGantry, startLiveGantry } from "../support/live.js";
import { createOrphanVolume, recordOrphan } from "../support/orphans.js";
import { setWorkerIdentity } from "../support/worker-identity.js";

type Ending = { stage: string | null; resource: "url" | false };
const ending = (stage: string | null, resource: "url" | false = "url"): Ending => ({ stage, resource });

/** The last stage of a finished Request of each type that the specification names, and what `resource` is. */
const ENDINGS: Partial<Record<RequestType, Ending>> = {
  provision_provider: ending("discover-locations"),
  provision_shared_provider: ending("discover-locations"),
  discover_provider_locations: ending("discover_locations"),
  discover_provider_location: ending("persist"),
  cancel_provider: ending("cancel"),
  check_provider: ending("reports"),
  provision_network: ending("create"),
  deprovision_network: ending("destroy", false),
  provision_subnet: ending("create"),
  deprovision_subnet: ending("destroy", false),
  provision_iam_role: ending("create"),
  modify_iam_role: ending("modify"),
  deprovision_iam_role: ending("destroy", false),
  start_environment: ending("wait-for-instance-updates"),
  scale_environment: ending("remove-servers"),
  configure_environment: ending("update"),
  deprovision_environment: ending("firewall"),
  destroy_environment: ending("destroy"),
  provision_default_firewall: ending("create"),
  provision_firewall_rule: ending("create"),
  modify_firewall_rule: ending("modify"),
  deprovision_firewall_rule: ending("cleanup"),
  provision_server: ending("server.bootstrapped"),
  deprovision_server: ending("alerts.finish"),
  instance_update: ending(null, false),
  modify_server: ending("server.start"),
  discover_server: ending("reconcile"),
  snapshot_server: ending("snapshots.perform"),
  deprovision_snapshot_request: ending("destroy"),
  volume_provision: ending("create"),
  attach_volume: ending("attach"),
  detach_volume: ending("detach"),
  deprovision_volume: ending("destroy"),
  address_provision: ending("create"),
  attach_address: ending("attach"),
  detach_address: ending("detach"),
  deprovision_address_request: ending("destroy"),
  provision_database_service: ending("create-provider-credentials"),
  rotate_database_credentials: ending("wait-until-applied"),
  deprovision_database_service: ending("destroy"),
  provision_database_server: ending("create"),
  update_database_server: ending("wait-until-updated"),
  promote_database_server: ending("move"),
  deprovision_database_server: ending("destroy"),
  provision_database_server_snapshot: ending("create"),
  deprovision_database_server_snapshot: ending("destroy"),
  provision_auto_scaling_group: ending("protect-app-master"),
  update_auto_scaling_group: ending("update"),
  modify_auto_scaling_group: ending("resize"),
  deprovision_auto_scaling_group: ending("destroy"),
  scan_drift: ending("scan"),
  remove_leaked_resources: ending("remove", false),
  remove_orphan: ending("destroy", false),
  update_tags: ending("tag"),
};

function declared(type: RequestType): Ending {
  const { stages, keepsResource } = requestTypeDefinition(type);
  return ending(stages.at(-1) as string, keepsResource ? "url" : false);
}

let gantry: LiveGantry;
let keys: AwsAccount;
let inventoryBefore: Inventory;
let provider: { id: number; path: string };
let network: { id: string; path: string };
let environment: { id: number; path: string };
/** The answer to the change of the provider's credentials, which lasts for a minute. */
let replaced: Awaited<ReturnType<LiveGantry["owner"]["put"]>>;

beforeAll(async () => {
  gantry = await startLiveGantry();
  const taken = await gantry.addProvider("specification");
  keys = taken.keys;
  provider = { id: taken.providerId, path: taken.path };
  inventoryBefore = await aws.inventory(keys);
});
afterAll(() => gantry.close());

const pathOf = ({ resource }: { resource: unknown }) => new URL(resource as string).pathname;
const idIn = (path: string) => path.split("/").at(-1) as string;

async function shown(name: string, path: string): Promise<Json> {
  return (await gantry.owner.get(path)).body[name];
}

async function listed(name: string, path: string): Promise<Json[]> {
  return (await gantry.owner.get(`${path}?per_page=100`)).body[`${name}s`];
}

it("discovers locations, and checks the provider", async () => {
  const { owner, done } = gantry;
  await shown("provider", provider.path);
  await done(await owner.put(`${provider.path}/locations/discover`));
  expect((await listed("provider_location", `${provider.path}/locations`)).length).toBeGreaterThan(10);
  const [region] = (await owner.get(`${provider.path}/locations?location_id=us-east-1`)).body.provider_locations;
  await done(await owner.put(`${provider.path}/locations/${region.id}/discover`));
  await done(await owner.post(`${provider.path}/check`, { region: "us-east-1" }));
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  replaced = await owner.put(`${provider.path}/credentials`, { provider: { credentials } });
});

it("adds a provider in the AWS account of the worker", async () => {
  const { owner, done } = gantry;
  setWorkerIdentity(keys);
  const path = pathOf(
    await done(await owner.post(`/accounts/${owner.accountId}/providers`, { provider: { type: "aws" } })),
  );
  expect((await shown("provider", path)).shared).toBe(true);
  await done(await owner.delete(path));
});

it("provisions a network, a subnet and an IAM role", async () => {
  const { owner, done } = gantry;
  const input = { cidr: "10.0.0.0/16", location: "us-east-1" };
  const created = pathOf(await done(await owner.post("/networks", { provider: provider.id, network: input })));
  network = { id: idIn(created), path: created };
  await owner.patch(network.path, { network: { tags: { team: "shop" } } });
  const [tagging] = (await owner.get(`${network.path}/requests?type=update_tags`)).body.requests;
  await done({ status: 200, body: { request: tagging } });
  await shown("network", network.path);
  const within = { network: network.id, subnet: { cidr: "10.0.250.0/24", location: "us-east-1a" } };
  await shown("subnet", pathOf(await done(await owner.post("/subnets", within))));
  const role = { policy: "KubeyPolicy", user_managed_policy: true };
  const path = pathOf(await done(await owner.post("/iam_roles", { provider: provider.id, iam_role: role })));
  await shown("iam_role", path);
  const policy_arn = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess";
  await done(await owner.post(`${path}/modify`, { iam_role: { policy_arn } }));
  const changed = { policy_arn, policy: null, user_managed_policy: false };
  expect(await shown("iam_role", path)).toMatchObject(changed);
  await done(await owner.delete(path));
});

it("creates an environment in the network and boots it", async () => {
  const { owner, done } = gantry;
  const created = await owner.post(`/accounts/${owner.accountId}/environments`, {
    network: network.id,
    environment: { name: "shop" },
  });
  expect(created.status).toBe(201);
  environment = { id: created.body.environment.id, path: `/environments/${created.body.environment.id}` };
  const configuration = {
    type: "custom",
    apps: { count: 1, flavor: "m3.medium", volume_size: "10", mnt_volume_size: "5" },
    utils: [{ name: "jobs", flavor: "c4.large", volume_size: "10", iops: "300" }],
  };
  const boot = await done(await owner.post(`${environment.path}/boot`, { cluster_configuration: { configuration } }));
  const servers = await listed("server", `${environment.path}/servers`);
  expect(servers.map(({ role, state }) => [role, state]).sort()).toEqual([
    ["app_master", "running"],
    ["util", "running"],
  ]);
  const children: Json[] = (await owner.get(`/requests/${boot.id}/dependencies`)).body.requests;
  expect(children.map(({ type }) => type).sort()).toEqual([
    "instance_update",
    "instance_update",
    "provision_default_firewall",
    "provision_server",
    "provision_server",
  ]);
  expect(new Set(children.map(({ requester }) => requester))).toEqual(
    new Set([boot.requester].map(() => expect.stringContaining(`/requests/${boot.id}`))),
  );
  await shown("environment", environment.path);
});

it("fails a boot with too many IOPS in its first stage, with the maximum and the value", async () => {
  const { owner, ended } = gantry;
  const created = await owner.post(`/accounts/${owner.accountId}/environments`, {
    network: network.id,
    environment: { name: "fast" },
  });
  const path = `/environments/${created.body.environment.id}`;
  const configuration = {
    type: "custom",
    apps: { count: 1, flavor: "m3.medium" },
    db_master: { flavor: "r3.large", iops: "5000" },
  };
  const request = await ended(await owner.post(`${path}/boot`, { cluster_configuration: { configuration } }));
  const message = "Volume IOPS limit exceeded: the maximum is 4000, and 5000 was asked for";
  expect(request).toMatchObject({ type: "start_environment", successful: false, stage: "start", message });
  expect(request.request_status).toBe(`Failed: Start environment (${request.id}). Error: ${message}`);
  expect((await owner.get(`${path}/servers`)).body.servers).toEqual([]);
});

it("replaces a server by scaling its role", async () => {
  const { owner, done } = gantry;
  const utils = async () =>
    (await listed("server", `${environment.path}/servers`)).filter(({ role }) => role === "util");
  const [before] = await utils();
  const roles = { util: 1 };
  await done(await owner.post(`${environment.path}/scale`, { environment: { roles, remove: [before?.id] } }));
  expect(await utils()).toMatchObject([{ name: "util-1", state: "running", flavor: before?.flavor }]);
});

it("provisions a server with an address, runs its actions, and deprovisions it", async () => {
  const { owner, done } = gantry;
  const located = { provider: provider.id, address: { location: "us-east-1" } };
  const address = pathOf(await done(await owner.post("/addresses", located)));
  const server = { name: "reports", flavor: "m3.medium", role: "util", ip_id: Number(idIn(address)) };
  const path = pathOf(await done(await owner.post("/servers", { environment: environment.id, server })));
  expect((await shown("server", path)).address).toMatch(address);
  for (const action of ["apply", "stop", "start", "reboot", "reconcile"])
    await done(await owner.post(`${path}/${action}`));
  await done(await owner.post(`${path}/modify`, { server: { flavor: "m3.large" } }));
  expect(await shown("server", path)).toMatchObject({ state: "running", flavor: { id: "m3_large" }, pending: null });
  const { id } = await done(await owner.post(`${path}/snapshot`));
  const snapshots = await listed("snapshot", `${path}/snapshots/${id}`);
  const volumes: Json[] = (await owner.get(`${path}/volumes`)).body.volumes;
  const copied = snapshots.map(({ volume }) => idIn(volume as string));
  expect(copied.sort()).toEqual(volumes.map((volume) => String(volume.id)).sort());
  await done(await owner.delete(pathOf({ resource: `http://x/snapshots/${snapshots[0]?.id}` })));
  await done(await owner.post(`${address}/detach`));
  await done(await owner.post(`${address}/attach`, { server: Number(idIn(path)) }));
  await done(await owner.post(`${address}/detach`));
  await done(await owner.delete(address));
  const zone = (await shown("server", path)).location;
  const volume = pathOf(
    await done(await owner.post("/volumes", { provider: provider.id, volume: { location: zone, size: 5 } })),
  );
  await done(await owner.post(`${volume}/attach`, { server: Number(idIn(path)) }));
  await done(await owner.post(`${volume}/modify`, { volume: { size: 10, iops: 4000 } }));
  await done(await owner.post(`${volume}/detach`));
  await done(await owner.delete(volume));
  await done(await owner.delete(path));
  expect((await shown("server", path)).deleted_at).not.toBeNull();
});

it("provisions, modifies and deprovisions a firewall rule", async () => {
  const { owner, done } = gantry;
  const [firewall] = (await owner.get(`${environment.path}/firewalls`)).body.firewalls;
  const rule = { source: "198.51.100.0/24", port_range: "8000-8100", protocol: "tcp" };
  const request = await done(await owner.post(`/firewalls/${firewall.id}/rules`, { firewall_rule: rule }));
  expect(pathOf(request)).toMatch(/^\/firewall-rules\/\d+$/);
  const changed = { source: "198.51.100.128/25", port_range: "8000" };
  await done(await owner.post(`${pathOf(request)}/modify`, { firewall_rule: changed }));
  expect(await shown("firewall_rule", pathOf(request))).toMatchObject({ ...rule, ...changed });
  await done(await owner.delete(pathOf(request)));
});

it("provisions, resizes and deprovisions a scaling group", async () => {
  const { owner, done } = gantry;
  const sizes = { minimum_size: 1, maximum_size: 3 };
  const body = { environment: environment.id, auto_scaling_group: sizes };
  const path = pathOf(await done(await owner.post("/auto_scaling_groups", body)));
  await shown("auto_scaling_group", path);
  expect((await shown("environment", environment.path)).auto_scaling_group).toMatch(path);
  const changed = { minimum_size: 1, maximum_size: 4, desired_capacity: 2 };
  await done(await owner.put(path, { auto_scaling_group: changed }));
  expect(await shown("auto_scaling_group", path)).toMatchObject(changed);
  const larger = { flavor: "m3.large", maximum_size: 5 };
  await done(await owner.post(`${path}/modify`, { auto_scaling_group: larger }));
  expect(await shown("auto_scaling_group", path)).toMatchObject({ ...changed, ...larger });
  await done(await owner.delete(path));
  expect((await shown("environment", environment.path)).auto_scaling_group).toBeNull();
});

it("provisions a database with a replica and a snapshot, and deprovisions them", async () => {
  const { owner, done } = gantry;
  const server = { engine: "mysql", version: "5.7.17", flavor: "db.m3.medium", location: "us-east-1a", storage: 50 };
  const body = {
    provider: provider.id,
    network: network.id,
    database_service: { name: "orders" },
    database_server: server,
  };
  const path = pathOf(await done(await owner.post("/database-services", body)));
  await shown("database_service", path);
  const [master] = await listed("database_server", `${path}/servers`);
  await shown("database_server", `/database-servers/${master?.id}`);
  const replica = await done(await owner.post("/database-servers", { replication_source: master?.id }));
  expect((await shown("database_server", pathOf(replica))).replication_source).not.toBeNull();
  expect((await shown("database_service", path)).db_replica_count).toBe(1);
  await done(await owner.delete(pathOf(replica)));
  const second = pathOf(await done(await owner.post("/database-servers", { replication_source: master?.id })));
  const promoted = pathOf(await done(await owner.post(`${second}/promote`, { database_service: { name: "reports" } })));
  const own = await shown("database_server", second);
  expect([own.replication_source, own.backup_retention_period]).toEqual([null, 7]);
  const ofPromoted = await shown("database_service", promoted);
  expect([ofPromoted.password, ofPromoted.db_replica_count]).toEqual([own.password, 0]);
  expect((await shown("database_service", path)).db_replica_count).toBe(0);
  await done(await owner.delete(`${promoted}?final_snapshot=false`));
  const before = (await shown("database_service", path)).password;
  await done(await owner.post(`${path}/rotate-credentials`));
  const { password } = await shown("database_service", path);
  expect(password).not.toBe(before);
  for (const each of await listed("database_server", `${path}/servers`))
    expect((await shown("database_server", `/database-servers/${each.id}`)).password).toBe(password);
  const larger = { database_server: { storage: 60, backup_retention_period: 14 } };
  await done(await owner.post(`/database-servers/${master?.id}/modify`, larger));
  expect(await shown("database_server", `/database-servers/${master?.id}`)).toMatchObject(larger.database_server);
  const later = { database_server: { storage: 80, backup_retention_period: 7 }, apply: "window" };
  await done(await owner.post(`/database-servers/${master?.id}/modify`, later));
  expect(await shown("database_server", `/database-servers/${master?.id}`)).toMatchObject({
    ...{ storage: 60, backup_retention_period: 7, pending: { storage: 80 } },
  });
  for (const [action, state] of Object.entries({ reboot: "available", stop: "stopped", start: "available" })) {
    await done(await owner.post(`/database-servers/${master?.id}/${action}`));
    expect((await shown("database_server", `/database-servers/${master?.id}`)).state).toBe(state);
  }
  const taken = await done(await owner.post(`/database-servers/${master?.id}/snapshots`));
  const snapshotId = pathOf(taken).split("/").at(-1);
  for (const restore of [{ latest: true }, { database_server_snapshot: snapshotId }]) {
    const restored = pathOf(await done(await owner.post(`${path}/restore`, { restore })));
    const service = await shown("database_service", restored);
    expect([service.engine, service.username]).toEqual(["mysql", "gantry"]);
    expect(service.password).not.toBe(password);
    await done(await owner.delete(`${restored}?final_snapshot=false`));
  }
  await done(await owner.delete(pathOf(taken)));
  await listed("message", `${path}/messages`);
  await done(await owner.delete(`${path}?final_snapshot=false`));
});

it("applies an environment's records to its servers", async () => {
  const { owner, done } = gantry;
  const { id } = await done(await owner.post(`${environment.path}/apply`));
  const children: Json[] = (await owner.get(`/requests/${id}/dependencies`)).body.requests;
  expect(new Set(children.map(({ type, action }) => `${type} ${action}`))).toEqual(new Set(["instance_update apply"]));
});

it("scans for drift when asked", async () => {
  const { owner, done } = gantry;
  await done(await owner.post(`/accounts/${owner.accountId}/drift/scan`));
  const { places } = (await owner.get(`/accounts/${owner.accountId}/drift`)).body;
  expect(places.length).toBeGreaterThan(0);
  for (const place of places) expect(place.last_looked_at).not.toBeNull();
});

it("removes what a failed request left behind", async () => {
  const { api, owner, done, ended } = gantry;
  const once = { code: "UnauthorizedOperation", times: 1, accessKeyId: keys.accessKeyId };
  await aws.refuse("AttachInternetGateway", once);
  await aws.refuse("DeleteVpc", once);
  const input = { cidr: "10.9.0.0/16", location: "us-east-1", skip_subnets: true };
  const failed = await ended(await owner.post("/networks", { provider: provider.id, network: input }));
  const path = `/requests/${failed.id}/leaked-resources`;
  const [left] = (await owner.get(path)).body.leaked_resources;
  expect(left).toMatchObject({ kind: "vpc", id: expect.stringMatching(/^vpc-/), retries: 0 });
  await done(await owner.post(`${path}/retry`));
  expect((await owner.get(path)).body.leaked_resources).toEqual([]);
  expect((await aws.inventory(keys, { kinds: ["vpc"] })).vpc.map((each) => each.id)).not.toContain(left.id);
  expect(await api.db.cloudObject.count({ where: { requestId: failed.id, removedAt: null } })).toBe(0);
});

it("removes an orphan", async () => {
  const { api, owner, done } = gantry;
  const tenant = { accountId: owner.accountId, awsAccount: keys, providerId: provider.id };
  const cloudId = await createOrphanVolume(tenant);
  const { id } = await recordOrphan(api.db, tenant, { kind: "volume", cloudId });
  await done(await owner.delete(`/drift/${id}`));
  expect((await aws.inventory(keys, { kinds: ["volume"] })).volume.map((each) => each.id)).not.toContain(cloudId);
  expect((await owner.get(`/drift/${id}`)).status).toBe(404);
});

it("deprovisions everything", async () => {
  const { owner, done } = gantry;
  await done(await owner.post(`${environment.path}/deprovision`));
  await done(await owner.delete(environment.path));
  const environments: Json[] = (await owner.get("/environments")).body.environments;
  for (const { id } of environments) await done(await owner.delete(`/environments/${id}`));
  const subnets: Json[] = (await owner.get("/subnets?per_page=100")).body.subnets;
  const removals = await Promise.all(subnets.map(({ id }) => owner.delete(`/subnets/${id}`)));
  await Promise.all(removals.map((answer) => done(answer)));
  await done(await owner.delete(network.path));
  await done(replaced);
  expect(await aws.inventory(keys)).toEqual(inventoryBefore);
  await done(await owner.delete(provider.path));
});

async function everyRequest(): Promise<(Json & { type: RequestType })[]> {
  const found: (Json & { type: RequestType })[] = [];
  for (let page = 1; ; page++) {
    const { requests } = (await gantry.owner.get(`/requests?per_page=100&page=${page}`)).body;
    if (requests.length === 0) return found;
    found.push(...requests);
  }
}

it("finished each type in the specified stage with the specified record", async () => {
  const ended = (await everyRequest()).filter(({ successful }) => successful);
  for (const request of ended) {
    const { type, stage, resource, id, request_status: status } = request;
    const isQuiet = type === "instance_update";
    const kind = typeof resource === "string" ? "url" : resource;
    expect({ type, stage, resource: kind }).toEqual({ type, ...(ENDINGS[type] ?? declared(type)) });
    if (!isQuiet) expect(status).toMatch(new RegExp(`^Finished: [A-Z].* \\(${id}\\) \\(.+\\)$`));
  }
  const reached = new Set(ended.map(({ type }) => type));
  expect([...reached].sort()).toEqual(Object.keys(requestTypes).sort());
});

it("creates no child Request of an undeclared type", async () => {
  const requests = await everyRequest();
  const typeOf = new Map(requests.map(({ id, type }) => [id as string, type]));
  const opened = requests.flatMap(({ type, requester }) => {
    const parent = typeOf.get(/\/requests\/([^/]+)$/.exec(requester as string)?.[1] ?? "");
    return parent ? [{ parent, type }] : [];
  });
  expect(opened.length).toBeGreaterThan(10);
  for (const { parent, type } of opened)
    expect([parent, requestTypeDefinition(parent)?.children]).toEqual([parent, expect.arrayContaining([type])]);
});
