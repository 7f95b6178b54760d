import { networkScript } from "./baselines/network-script.js";
import { type BenchEnvironment, REGION, ZONES } from "./bench-environment.js";
import { requestClient } from "./request-client.js";
import { medianOf, percentileOf } from "./statistics.js";

export interface ProvisionFigures {
  gantryMs: number;
  scriptMs: number;
  /** The time from sending POST /networks to the arrival of the first AWS call. */
  firstCallMs: { p50: number; p99: number };
}

const WARM_UP = 5;

/** Creates networks through the API and by a script, alternately, at the same AWS endpoint; returns medians. */
export async function measureProvision(
  { aws, awsEndpoint, awsAccount, providerId, token }: BenchEnvironment,
  api: string,
  { rounds, delayMs }: { rounds: number; delayMs: number },
): Promise<ProvisionFigures> {
  const script = networkScript({ endpoint: awsEndpoint, region: REGION, credentials: awsAccount, zones: ZONES });
  const { requestAndWait } = requestClient(api, token);
  const input = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  const { accountId } = awsAccount;
  const gantry: number[] = [];
  const bare: number[] = [];
  const firstCalls: number[] = [];
  let since = 0;
  if (delayMs > 0) await aws.delay("*", delayMs, { accountId });
  for (let round = -WARM_UP; round < rounds; round++) {
    const scriptMs = await measureMs(script);
    since = (await aws.calls({ accountId, since })).at(-1)?.seq ?? since;
    const sent = Date.now();
    const gantryMs = await measureMs(() => requestAndWait("POST", "/networks", input));
    const [first] = await aws.calls({ accountId, since });
    if (!first) throw new Error("a network was created without an AWS call");
    if (round < 0) continue;
    bare.push(scriptMs);
    gantry.push(gantryMs);
    firstCalls.push(Date.parse(first.at) - sent);
  }
  await aws.clear({ accountId });
  const firstCallMs = { p50: medianOf(firstCalls), p99: percentileOf(firstCalls, 0.99) };
  return { gantryMs: medianOf(gantry), scriptMs: medianOf(bare), firstCallMs };
}

async function measureMs(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}
