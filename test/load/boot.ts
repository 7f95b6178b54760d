import type { ComputeOffers } from "@gantry/aws-facts";
import { bootScript } from "./baselines/boot-script.js";
import { type BenchEnvironment, REGION } from "./bench-environment.js";
import { requestClient } from "./request-client.js";
import { medianOf } from "./statistics.js";

const SERVERS = 20;
/** Gantry's default, and the script's. */
const FLAVOR = "t3.medium";
const WARM_UP = 1;

export interface BootFigures {
  gantryMs: number;
  scriptMs: number;
  /** The AWS calls of one boot. */
  gantryCalls: number;
  scriptCalls: number;
}

interface Boot {
  ms: number;
  calls: number;
}

/** Boots an environment of twenty servers through the API and by a script, alternately; returns medians. */
export async function measureBoot(
  bench: BenchEnvironment,
  api: string,
  { rounds, delayMs }: { rounds: number; delayMs: number },
): Promise<BootFigures> {
  const { aws, awsAccount, awsEndpoint, accountId, db, providerId, token } = bench;
  const { send, requestAndWait } = requestClient(api, token);
  await db.providerLocation.updateMany({ where: { providerId }, data: { serverLimit: 1000 } });
  await requestAndWait("PUT", `/providers/${providerId}/locations/${REGION}/discover`);
  const network = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  const networkId = (await requestAndWait("POST", "/networks", network)).resource.split("/").at(-1) ?? "";
  const { compute } = await db.offerList.findFirstOrThrow({ where: { location: { providerId, locationId: REGION } } });
  const zones = (compute as ComputeOffers)[FLAVOR] ?? [];
  const subnets = await db.subnet.findMany({ where: { networkId, location: { in: zones } } });
  const script = bootScript({
    endpoint: awsEndpoint,
    region: REGION,
    credentials: awsAccount,
    vpcId: (await db.network.findUniqueOrThrow({ where: { id: networkId } })).provisionedId ?? "",
    subnets: subnets.map(({ provisionedId, location }) => ({ id: provisionedId ?? "", zone: location })),
    flavor: FLAVOR,
    servers: SERVERS,
  });
  const gantryBoots: Boot[] = [];
  const scriptBoots: Boot[] = [];
  if (delayMs > 0) await aws.delay("*", delayMs, { accountId: awsAccount.accountId });
  for (let round = -WARM_UP; round < rounds; round++) {
    const bare = await countCalls(script.boot);
    await script.clear();
    const environment = { network: networkId, environment: { name: `bench-${delayMs}-${round}` } };
    const path = `/accounts/${accountId}/environments`;
    const { environment: created } = await send<{ environment: { id: number } }>("POST", path, environment);
    const configuration = { type: "custom", apps: { count: SERVERS } };
    const boot = { cluster_configuration: { configuration } };
    const gantry = await countCalls(() => requestAndWait("POST", `/environments/${created.id}/boot`, boot));
    await requestAndWait("DELETE", `/environments/${created.id}`);
    if (round < 0) continue;
    scriptBoots.push(bare);
    gantryBoots.push(gantry);
  }
  await aws.clear({ accountId: awsAccount.accountId });
  return {
    gantryMs: medianOf(gantryBoots.map(({ ms }) => ms)),
    scriptMs: medianOf(scriptBoots.map(({ ms }) => ms)),
    gantryCalls: medianOf(gantryBoots.map(({ calls }) => calls)),
    scriptCalls: medianOf(scriptBoots.map(({ calls }) => calls)),
  };

  async function countCalls(boot: () => Promise<unknown>): Promise<Boot> {
    const since = (await aws.calls({ accountId: awsAccount.accountId })).at(-1)?.seq ?? 0;
    const start = performance.now();
    await boot();
    const ms = performance.now() - start;
    return { ms, calls: (await aws.calls({ accountId: awsAccount.accountId, since })).length };
  }
}
