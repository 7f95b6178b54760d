import { type BenchEnvironment, REGION, ZONES } from "../../load/bench-environment.js";
import { createClient } from "./client.js";

/** How many the account asks for at a time. */
const CONCURRENCY = 16;

/** Of ten creates. */
const MIX = [
  "volume",
  "network",
  "server",
  "volume",
  "volume",
  "network",
  "server",
  "volume",
  "volume",
  "network",
] as const;

/**
 * Prepares an environment for servers.
 *
 * @returns a function that asks for `creates` servers, volumes and networks as fast as it can, until `over`, and gives
 * how many were accepted
 */
export async function prepareBulkCreates(bench: BenchEnvironment, api: string) {
  const { db, accountId, providerId, token } = bench;
  const client = createClient(api, token);
  await db.providerLocation.updateMany({ where: { providerId }, data: { serverLimit: 100_000 } });
  const network = { cidr: "10.0.0.0/16", location: REGION };
  const made = await client.post<{ request: { id: string } }>("/networks", { provider: providerId, network });
  let networkId = "";
  while (networkId === "") {
    const { request } = await client.get<{
      request: { successful: boolean; finished_at: string | null; resource: string };
    }>(`/requests/${made.request.id}?wait=60`);
    if (request.finished_at && !request.successful) throw new Error("the network of the flood could not be made");
    if (request.finished_at) networkId = request.resource.split("/").at(-1) ?? "";
  }
  const wanted = { network: networkId, environment: { name: "flooded" } };
  const { environment } = await client.post<{ environment: { id: number } }>(
    `/accounts/${accountId}/environments`,
    wanted,
  );

  const ask = {
    server: () =>
      client.post("/servers", { environment: environment.id, server: { flavor: "m3.medium", role: "app" } }),
    volume: () => client.post("/volumes", { provider: providerId, volume: { location: ZONES[0], size: 1 } }),
    network: () => client.post("/networks", { provider: providerId, network }),
  };

  return async (creates: number, over: AbortSignal): Promise<number> => {
    let [asked, accepted] = [0, 0];
    const go = async () => {
      while (asked < creates && !over.aborted) {
        await ask[MIX[asked++ % MIX.length] as (typeof MIX)[number]]();
        accepted++;
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, go));
    return accepted;
  };
}
