import { networkScript } from "./baselines/network-script.js";
import { type BenchEnvironment, REGION, ZONES } from "./bench-environment.js";
import { medianOf, percentileOf } from "./statistics.js";

export interface ProvisionFigures {
  gantryMs: number;
  scriptMs: number;
  /** From sending POST /networks to the first AWS call's arrival. */
  firstCallMs: { p50: number; p99: number };
}

const WARM_UP = 5;

/** Makes networks through the API and by a bare script in turn, against the same endpoint; medians. */
export async function measureProvision(
  { aws, awsEndpoint, awsAccount, providerId, token }: BenchEnvironment,
  api: string,
  { rounds, delayMs }: { rounds: number; delayMs: number },
): Promise<ProvisionFigures> {
  const script = networkScript({ endpoint: awsEndpoint, region: REGION, credentials: awsAccount, zones: ZONES });
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
    const gantryMs = await measureMs(() => provision(api));
    const [first] = await aws.calls({ accountId, since });
    if (!first) throw new Error("a network was made without a call to AWS");
    if (round < 0) continue;
    bare.push(scriptMs);
    gantry.push(gantryMs);
    firstCalls.push(Date.parse(first.at) - sent);
  }
  await aws.clear({ accountId });
  const firstCallMs = { p50: medianOf(firstCalls), p99: percentileOf(firstCalls, 0.99) };
  return { gantryMs: medianOf(gantry), scriptMs: medianOf(bare), firstCallMs };

  async function provision(url: string): Promise<void> {
    const network = { cidr: "10.0.0.0/16", location: REGION };
    const body = JSON.stringify({ provider: providerId, network });
    const { request } = await send(`${url}/networks`, { method: "POST", body });
    const ended = await send(`${url}/requests/${request.id}?wait=60`);
    if (!ended.request.successful) throw new Error(`the Request did not succeed: ${ended.request.message}`);
  }

  async function send(url: string, init: RequestInit = {}) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reply = await fetch(url, { ...init, headers });
    if (!reply.ok) throw new Error(`${url} answered ${reply.status}: ${await reply.text()}`);
    return (await reply.json()) as { request: { id: string; successful: boolean; message: string | null } };
  }
}

async function measureMs(act: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await act();
  return performance.now() - start;
}
