import type { Client } from "./client.js";

/** The region of all tasks. */
export const REGION = "us-east-1";
const ZONE = `${REGION}a`;

/** An account with one of its providers. */
export interface Tenant {
  accountId: string;
  providerId: number;
}

type Task = (client: Client, tenant: Tenant) => Promise<void>;
type Step = (client: Client, tenant: Tenant, environment: number) => Promise<void>;

/** Runs a random task of a client: most often an environment with servers and their resources. */
export async function runTask(client: Client, tenant: Tenant): Promise<void> {
  await client.random.pick(TASKS)(client, tenant);
}

const network: Task = (client, tenant) =>
  inNetwork(client, tenant, async (networkPath) => {
    const subnet = { location: ZONE, cidr: "10.0.240.0/24" };
    await client.create("/subnets", { network: idIn(networkPath), subnet });
  });

const role: Task = (client, { providerId: provider }) => {
  const iam_role = { policy: "EFSBackupPolicy", user_managed_policy: true };
  return createAndRemove(client, "/iam_roles", { provider, iam_role });
};

const volume: Task = (client, { providerId: provider }) =>
  createAndRemove(client, "/volumes", { provider, volume: { location: ZONE, size: 10 } });

const database: Task = (client, tenant) =>
  inNetwork(client, tenant, async (networkPath) => {
    const created = await client.create("/database-services", {
      provider: tenant.providerId,
      network: idIn(networkPath),
      database_server: { engine: "postgres", version: "16", flavor: "db.t4g.medium", location: ZONE, storage: 20 },
    });
    if (!created) return;
    if (client.random.percent(50)) {
      const { database_servers } = await client.send<{ database_servers: { id: string }[] }>(
        "GET",
        `/database-servers?database_service=${idIn(created)}`,
      );
      const path = `/database-servers/${database_servers[0]?.id}/snapshots`;
      await createAndRemove(client, path, { database_server_snapshot: {} });
    }
    await client.remove(created);
  });

const environment: Task = (client, tenant) =>
  inNetwork(client, tenant, async (networkPath) => {
    const { environment } = await client.send<{ environment: { id: number } }>(
      "POST",
      `/accounts/${tenant.accountId}/environments`,
      { network: idIn(networkPath), environment: { name: `chaos-${idIn(networkPath)}` } },
    );
    const { id } = environment;
    const configuration = { type: "custom", apps: { count: client.random.between(1, 3) } };
    const booted = await client.create(`/environments/${id}/boot`, { cluster_configuration: { configuration } });
    const count = booted ? client.random.between(1, 3) : 0;
    for (let done = 0; done < count; done++) await client.random.pick(STEPS)(client, tenant, id);
    await client.remove(`/environments/${id}`);
  });

const TASKS: readonly Task[] = [network, network, role, volume, database, environment, environment, environment];

const addServer: Step = (client, _tenant, environment) => {
  const server = { flavor: "t3.medium", role: "util", name: "worker" };
  return createAndRemove(client, "/servers", { environment, server });
};

const restartServer: Step = async (client, _tenant, environment) => {
  const server = await firstServer(client, environment);
  await client.change("POST", `/servers/${server.id}/stop`);
  await client.change("POST", `/servers/${server.id}/start`);
};

const addVolume: Step = async (client, { providerId: provider }, environment) => {
  const server = await firstServer(client, environment);
  const created = await client.create("/volumes", { provider, volume: { location: server.location, size: 10 } });
  if (!created) return;
  await client.change("POST", `${created}/attach`, { server: server.id });
  await client.change("POST", `${created}/detach`);
  await client.remove(created);
};

const addAddress: Step = async (client, { providerId: provider }, environment) => {
  const created = await client.create("/addresses", { provider, address: { location: REGION } });
  if (!created) return;
  const server = await firstServer(client, environment);
  await client.change("POST", `${created}/attach`, { server: server.id });
  await client.change("POST", `${created}/detach`);
  await client.remove(created);
};

const takeSnapshots: Step = async (client, _tenant, environment) => {
  const server = await firstServer(client, environment);
  const created = await client.create(`/servers/${server.id}/snapshot`, {});
  if (!created) return;
  const { snapshots } = await client.send<{ snapshots: { id: number; deleted_at: string | null }[] }>(
    "GET",
    `/snapshots?server=${server.id}`,
  );
  for (const { id, deleted_at } of snapshots) if (!deleted_at) await client.remove(`/snapshots/${id}`);
};

const addRule: Step = async (client, _tenant, environment) => {
  const { firewalls } = await client.send<{ firewalls: { id: number }[] }>(
    "GET",
    `/environments/${environment}/firewalls`,
  );
  const rule = { port_range: "8080", protocol: "tcp", source: "192.0.2.0/24" };
  await createAndRemove(client, `/firewalls/${firewalls[0]?.id}/rules`, { firewall_rule: rule });
};

const addGroup: Step = async (client, _tenant, environment) => {
  const sizes = { minimum_size: 1, maximum_size: 3 };
  const created = await client.create("/auto_scaling_groups", { environment, auto_scaling_group: sizes });
  if (!created) return;
  await client.change("PUT", created, { auto_scaling_group: { ...sizes, desired_capacity: 2 } });
  await client.remove(created);
};

const STEPS: readonly Step[] = [addServer, restartServer, addVolume, addAddress, takeSnapshots, addRule, addGroup];

async function createAndRemove(client: Client, path: string, body: object): Promise<void> {
  const created = await client.create(path, body);
  if (created) await client.remove(created);
}

/** Creates a network, runs `use` in it, and removes it with its subnets. */
async function inNetwork(client: Client, tenant: Tenant, use: (path: string) => Promise<void>): Promise<void> {
  const network = { cidr: "10.0.0.0/16", location: REGION };
  const created = await client.create("/networks", { provider: tenant.providerId, network });
  if (!created) return;
  await use(created);
  const { subnets } = await client.send<{ subnets: { id: string; deleted_at: string | null }[] }>(
    "GET",
    `/subnets?network=${idIn(created)}&per_page=100`,
  );
  const existing = subnets.filter(({ deleted_at }) => !deleted_at);
  await Promise.all(existing.map(({ id }) => client.remove(`/subnets/${id}`)));
  await client.remove(created);
}

async function firstServer(client: Client, environment: number): Promise<{ id: number; location: string }> {
  const { servers } = await client.send<{ servers: { id: number; location: string; deleted_at: string | null }[] }>(
    "GET",
    `/servers?environment=${environment}`,
  );
  const server = servers.find(({ deleted_at }) => !deleted_at);
  if (!server) throw new Error(`environment ${environment} has no server`);
  return server;
}

function idIn(path: string): string {
  return path.split("/").at(-1) ?? "";
}
