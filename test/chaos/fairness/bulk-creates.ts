import { type BenchEnvironment, REGION, ZONES } from "../../load/bench-environment.js";
import { requestClient } from "../../load/request-client.js";
import { createClient } from "./client.js";

const CONCURRENCY = 16;

/** Resource types of ten creates. */
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
 * @returns a load generator: it sends creates of servers, volumes and networks without a pause until there are
 * `creates` or `end` aborts, and returns the ids of their Requests
 */
export async function prepareBulkCreates(bench: BenchEnvironment, api: string) {
  const { db, accountId, providerId, token } = bench;
  const client = createClient(api, token);
  const { requestAndWait } = requestClient(api, token);
  await db.providerLocation.updateMany({ where: { providerId }, data: { serverLimit: 100_000 } });
  const network = { cidr: "10.0.0.0/16", location: REGION };
  // Before its discovery a region offers what the specification lists, which AWS no longer has.
  await requestAndWait("PUT", `/providers/${providerId}/locations/${REGION}/discover`);
  const { resource } = await requestAndWait("POST", "/networks", { provider: providerId, network });
  const networkId = resource.split("/").at(-1);
  const wanted = { network: networkId, environment: { name: "bulk" } };
  const { environment } = await client.post<{ environment: { id: number } }>(
    `/accounts/${accountId}/environments`,
    wanted,
  );

  const create = async (path: string, input: object) =>
    (await client.post<{ request: { id: string } }>(path, input)).request.id;
  const creates = {
    server: () => create("/servers", { environment: environment.id, server: { flavor: "t3.medium", role: "app" } }),
    volume: () => create("/volumes", { provider: providerId, volume: { location: ZONES[0], size: 1 } }),
    network: () => create("/networks", { provider: providerId, network }),
  };

  return async (count: number, end: AbortSignal): Promise<string[]> => {
    let sent = 0;
    const accepted: string[] = [];
    const run = async () => {
      while (sent < count && !end.aborted)
        accepted.push(await creates[MIX[sent++ % MIX.length] as (typeof MIX)[number]]());
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, run));
    return accepted;
  };
}
