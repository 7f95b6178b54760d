import { bootScript } from "./baselines/boot-script.js";
import { type BenchEnvironment, REGION } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const SERVERS = 20;
const WARM_UP = 1;

export interface BootFigures {
  gantryMs: number;
  scriptMs: number;
  /** The calls to AWS of one boot. */
  gantryCalls: number;
  scriptCalls: number;
}

interface FinishedRequest {
  id: string;
  successful: boolean;
  message: string | null;
  resource: string;
}

/** Boots an environment of twenty servers through the API and by a bare script in turn; medians. */
export async function measureBoot(
  bench: BenchEnvironment,
  api: string,
  { rounds, delayMs }: { rounds: number; delayMs: number },
): Promise<BootFigures> {
  const { aws, awsAccount, awsEndpoint, accountId, db, providerId, token } = bench;
  await db.providerLocation.updateMany({ where: { providerId }, data: { serverLimit: 1000 } });
  const network = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
  const networkId = (await openAndWait("POST", "/networks", network)).resource.split("/").at(-1) ?? "";
  const subnets = await db.subnet.findMany({ where: { networkId } });
  const script = bootScript({
    endpoint: awsEndpoint,
    region: REGION,
    credentials: awsAccount,
    vpcId: (await db.network.findUniqueOrThrow({ where: { id: networkId } })).provisionedId ?? "",
    subnets: subnets.map(({ provisionedId, location }) => ({ id: provisionedId ?? "", zone: location })),
    servers: SERVERS,
  });
  const seen = {
    gantry: [] as number[],
    script: [] as number[],
    gantryCalls: [] as number[],
    scriptCalls: [] as number[],
  };
  if (delayMs > 0) await aws.delay("*", delayMs, { accountId: awsAccount.accountId });
  for (let round = -WARM_UP; round < rounds; round++) {
    const bare = await countCalls(script.boot);
    await script.clear();
    const environment = { network: networkId, environment: { name: `bench-${delayMs}-${round}` } };
    const { environment: made } = (await send("POST", `/accounts/${accountId}/environments`, environment)) as {
      environment: { id: number };
    };
    const configuration = { type: "custom", apps: { count: SERVERS } };
    const boot = { cluster_configuration: { configuration } };
    const gantry = await countCalls(() => openAndWait("POST", `/environments/${made.id}/boot`, boot));
    await openAndWait("DELETE", `/environments/${made.id}`);
    if (round < 0) continue;
    seen.script.push(bare.ms);
    seen.gantry.push(gantry.ms);
    seen.scriptCalls.push(bare.calls);
    seen.gantryCalls.push(gantry.calls);
  }
  await aws.clear({ accountId: awsAccount.accountId });
  return {
    gantryMs: medianOf(seen.gantry),
    scriptMs: medianOf(seen.script),
    gantryCalls: medianOf(seen.gantryCalls),
    scriptCalls: medianOf(seen.scriptCalls),
  };

  async function countCalls(act: () => Promise<unknown>): Promise<{ ms: number; calls: number }> {
    const since = (await aws.calls({ accountId: awsAccount.accountId })).at(-1)?.seq ?? 0;
    const start = performance.now();
    await act();
    const ms = performance.now() - start;
    return { ms, calls: (await aws.calls({ accountId: awsAccount.accountId, since })).length };
  }

  /** Asks for work and waits for its end. */
  async function openAndWait(method: "POST" | "DELETE", path: string, body: object = {}): Promise<FinishedRequest> {
    const { request } = (await send(method, path, body)) as { request: FinishedRequest };
    for (;;) {
      const now = (await send("GET", `/requests/${request.id}?wait=60`)) as {
        request: FinishedRequest & { finished_at?: string };
      };
      if (!now.request.finished_at) continue;
      if (!now.request.successful) throw new Error(`${path} did not succeed: ${now.request.message}`);
      return now.request;
    }
  }

  async function send(method: string, path: string, body?: object): Promise<unknown> {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const reply = await fetch(`${api}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    return reply.json();
  }
}
