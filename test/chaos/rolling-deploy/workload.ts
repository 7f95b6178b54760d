import { REGION } from "../../load/bench-environment.js";
import type { Client } from "./client.js";

export interface Tenant {
  accountId: string;
  providerId: number;
}

/**
 * Goes on making a network, a subnet, an environment with servers and a database, and removing all of it, until it is
 * told to stop; what stands then is left.
 */
export async function runWorkload(
  client: Client,
  { accountId, providerId }: Tenant,
  name: string,
  isOver: () => boolean,
): Promise<void> {
  for (let round = 1; !isOver(); round++) {
    const cidr = "10.0.0.0/16";
    const network = await made("/networks", { provider: providerId, network: { cidr, location: REGION } });
    const background = made("/subnets", { network, subnet: { cidr: "10.0.200.0/24", location: `${REGION}a` } });
    const database = made("/database-services", {
      provider: providerId,
      network,
      database_service: { name: `${name}-${round}` },
      database_server: { engine: "postgres", version: "9.6.3", flavor: "db.m3.medium", location: `${REGION}a` },
    });
    const environment = booted(network, `${name}-${round}`);
    await Promise.all([background, database, environment]);
    if (isOver()) return;
    await Promise.all([
      client.complete("DELETE", `/environments/${await environment}`),
      client.complete("DELETE", `/database-services/${await database}`),
    ]);
    const { subnets } = await client.send<{ subnets: { id: string }[] }>(
      "GET",
      `/subnets?network=${network}&per_page=100`,
    );
    await Promise.all(subnets.map(({ id }) => client.complete("DELETE", `/subnets/${id}`)));
    await client.complete("DELETE", `/networks/${network}`);
  }

  async function made(path: string, body: object): Promise<string> {
    const { resource } = await client.complete("POST", path, body);
    return resource.split("/").at(-1) ?? "";
  }

  async function booted(network: string, title: string): Promise<number> {
    const { environment } = await client.send<{ environment: { id: number } }>(
      "POST",
      `/accounts/${accountId}/environments`,
      { network, environment: { name: title } },
    );
    const configuration = { type: "custom", apps: { count: 2 } };
    await client.complete("POST", `/environments/${environment.id}/boot`, { cluster_configuration: { configuration } });
    await client.complete("POST", "/servers", {
      environment: environment.id,
      server: { name: "later", role: "util", flavor: "m3.medium" },
    });
    return environment.id;
  }
}
