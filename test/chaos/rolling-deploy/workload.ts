import { REGION, type Tenant } from "../../load/bench-environment.js";
import type { Client } from "./client.js";

/**
 * Creates a network, a subnet, an environment with servers and a database, and removes them, until `isStopped`. The
 * resources of the last round may stay.
 */
export async function runWorkload(
  client: Client,
  { accountId, providerId }: Pick<Tenant, "accountId" | "providerId">,
  name: string,
  isStopped: () => boolean,
): Promise<void> {
  for (let round = 1; !isStopped(); round++) {
    const cidr = "10.0.0.0/16";
    const network = await create("/networks", { provider: providerId, network: { cidr, location: REGION } });
    const subnet = create("/subnets", { network, subnet: { cidr: "10.0.200.0/24", location: `${REGION}a` } });
    const database = create("/database-services", {
      provider: providerId,
      network,
      database_service: { name: `${name}-${round}` },
      database_server: { engine: "postgres", version: "16", flavor: "db.t4g.medium", location: `${REGION}a` },
    });
    const environment = boot(network, `${name}-${round}`);
    await Promise.all([subnet, database, environment]);
    if (isStopped()) return;
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

  async function create(path: string, body: object): Promise<string> {
    const { resource } = await client.complete("POST", path, body);
    return resource.split("/").at(-1) ?? "";
  }

  async function boot(network: string, title: string): Promise<number> {
    const { environment } = await client.send<{ environment: { id: number } }>(
      "POST",
      `/accounts/${accountId}/environments`,
      { network, environment: { name: title } },
    );
    const configuration = { type: "custom", apps: { count: 2 } };
    await client.complete("POST", `/environments/${environment.id}/boot`, { cluster_configuration: { configuration } });
    await client.complete("POST", "/servers", {
      environment: environment.id,
      server: { name: "later", role: "util", flavor: "t3.medium" },
    });
    return environment.id;
  }
}
