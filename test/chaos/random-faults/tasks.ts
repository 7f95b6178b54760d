import type { Customer } from "./client.js";

const REGION = "us-east-1";
const ZONE = `${REGION}a`;

/** Where a customer works: an account, and a provider of it. */
export interface Place {
  accountId: string;
  providerId: number;
}

type Life = (customer: Customer, place: Place) => Promise<void>;
type Deed = (customer: Customer, place: Place, environment: number) => Promise<void>;

/** Makes something by a life's rules: most often an environment with all that stands in it. */
export async function live(customer: Customer, place: Place): Promise<void> {
  await customer.dice.pick(LIVES)(customer, place);
}

const network: Life = (customer, place) =>
  inNetwork(customer, place, async (networkPath) => {
    const wanted = { location: ZONE, cidr: "10.0.240.0/24" };
    await customer.make("/subnets", { network: idIn(networkPath), subnet: wanted });
  });

const role: Life = async (customer, { providerId: provider }) => {
  const made = await customer.make("/iam_roles", {
    provider,
    iam_role: { policy: "EFSBackupPolicy", user_managed_policy: true },
  });
  if (made) await customer.remove(made);
};

const volume: Life = async (customer, { providerId: provider }) => {
  const made = await customer.make("/volumes", { provider, volume: { location: ZONE, size: 10 } });
  if (made) await customer.remove(made);
};

const database: Life = (customer, place) =>
  inNetwork(customer, place, async (networkPath) => {
    const made = await customer.make("/database-services", {
      provider: place.providerId,
      network: idIn(networkPath),
      database_server: { engine: "postgres", version: "9.6.3", flavor: "db.m3.medium", location: ZONE, storage: 20 },
    });
    if (!made) return;
    if (customer.dice.percent(50)) {
      const { database_servers } = await customer.send<{ database_servers: { id: string }[] }>(
        "GET",
        `/database-servers?database_service=${idIn(made)}`,
      );
      const path = `/database-servers/${database_servers[0]?.id}/snapshots`;
      const snapshot = await customer.make(path, { database_server_snapshot: {} });
      if (snapshot) await customer.remove(snapshot);
    }
    await customer.remove(made);
  });

const environment: Life = (customer, place) =>
  inNetwork(customer, place, async (networkPath) => {
    const { environment } = await customer.send<{ environment: { id: number } }>(
      "POST",
      `/accounts/${place.accountId}/environments`,
      { network: idIn(networkPath), environment: { name: `chaos-${idIn(networkPath)}` } },
    );
    const { id } = environment;
    const configuration = { type: "custom", apps: { count: customer.dice.between(1, 3) } };
    const booted = await customer.make(`/environments/${id}/boot`, { cluster_configuration: { configuration } });
    const deeds = booted ? customer.dice.between(1, 3) : 0;
    for (let done = 0; done < deeds; done++) await customer.dice.pick(DEEDS)(customer, place, id);
    await customer.remove(`/environments/${id}`);
  });

const LIVES: readonly Life[] = [network, network, role, volume, database, environment, environment, environment];

const anotherServer: Deed = async (customer, _place, environment) => {
  const server = { flavor: "m3.medium", role: "util", name: "worker" };
  const made = await customer.make("/servers", { environment, server });
  if (made) await customer.remove(made);
};

const stopAndStart: Deed = async (customer, _place, environment) => {
  const server = await firstServer(customer, environment);
  await customer.change("POST", `/servers/${server.id}/stop`);
  await customer.change("POST", `/servers/${server.id}/start`);
};

const anotherDisk: Deed = async (customer, { providerId: provider }, environment) => {
  const server = await firstServer(customer, environment);
  const made = await customer.make("/volumes", { provider, volume: { location: server.location, size: 10 } });
  if (!made) return;
  await customer.change("POST", `${made}/attach`, { server: server.id });
  await customer.change("POST", `${made}/detach`);
  await customer.remove(made);
};

const anAddress: Deed = async (customer, { providerId: provider }, environment) => {
  const made = await customer.make("/addresses", { provider, address: { location: REGION } });
  if (!made) return;
  const server = await firstServer(customer, environment);
  await customer.change("POST", `${made}/attach`, { server: server.id });
  await customer.change("POST", `${made}/detach`);
  await customer.remove(made);
};

const snapshots: Deed = async (customer, _place, environment) => {
  const server = await firstServer(customer, environment);
  const taken = await customer.make(`/servers/${server.id}/snapshot`, {});
  if (!taken) return;
  const { snapshots } = await customer.send<{ snapshots: { id: number; deleted_at: string | null }[] }>(
    "GET",
    `/snapshots?server=${server.id}`,
  );
  for (const { id, deleted_at } of snapshots) if (!deleted_at) await customer.remove(`/snapshots/${id}`);
};

const anOpening: Deed = async (customer, _place, environment) => {
  const { firewalls } = await customer.send<{ firewalls: { id: number }[] }>(
    "GET",
    `/environments/${environment}/firewalls`,
  );
  const rule = { port_range: "8080", protocol: "tcp", source: "192.0.2.0/24" };
  const made = await customer.make(`/firewalls/${firewalls[0]?.id}/rules`, { firewall_rule: rule });
  if (made) await customer.remove(made);
};

const aGroup: Deed = async (customer, _place, environment) => {
  const sizes = { minimum_size: 1, maximum_size: 3 };
  const made = await customer.make("/auto_scaling_groups", { environment, auto_scaling_group: sizes });
  if (!made) return;
  await customer.change("PUT", made, { auto_scaling_group: { ...sizes, desired_capacity: 2 } });
  await customer.remove(made);
};

const DEEDS: readonly Deed[] = [anotherServer, stopAndStart, anotherDisk, anAddress, snapshots, anOpening, aGroup];

/** Has a network made, does something in it, and takes it down with its subnets. */
async function inNetwork(customer: Customer, place: Place, act: (path: string) => Promise<void>): Promise<void> {
  const wanted = { cidr: "10.0.0.0/16", location: REGION };
  const made = await customer.make("/networks", { provider: place.providerId, network: wanted });
  if (!made) return;
  await act(made);
  const { subnets } = await customer.send<{ subnets: { id: string; deleted_at: string | null }[] }>(
    "GET",
    `/subnets?network=${idIn(made)}&per_page=100`,
  );
  const standing = subnets.filter(({ deleted_at }) => !deleted_at);
  await Promise.all(standing.map(({ id }) => customer.remove(`/subnets/${id}`)));
  await customer.remove(made);
}

async function firstServer(customer: Customer, environment: number): Promise<{ id: number; location: string }> {
  const { servers } = await customer.send<{ servers: { id: number; location: string; deleted_at: string | null }[] }>(
    "GET",
    `/servers?environment=${environment}`,
  );
  const server = servers.find(({ deleted_at }) => !deleted_at);
  if (!server) throw new Error(`the environment ${environment} has no server`);
  return server;
}

function idIn(path: string): string {
  return path.split("/").at(-1) ?? "";
}
