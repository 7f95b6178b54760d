import { randomUUID } from "node:crypto";
import { startReceiver } from "../support/receiver.js";
import { until } from "../support/until.js";
import { type BenchEnvironment, type LaunchedProcess, REGION } from "./bench-environment.js";
import { medianOf } from "./statistics.js";

const EVENTS = 1000;
const ROUNDS = 3;

/**
 * Deliveries a second to this many webhooks of one account, from the first that arrives to the last. Needs one worker.
 */
export async function measureDeliveries(bench: BenchEnvironment, api: LaunchedProcess, count: number): Promise<number> {
  const { db } = bench;
  const { accountId, providerId, token } = await bench.addTenant();
  const arrivals: number[] = [];
  const receiver = await startReceiver((_, response) => {
    arrivals.push(performance.now());
    response.writeHead(204).end();
  });
  const perSecond: number[] = [];
  try {
    for (let added = 0; added < count; added++) await addWebhook(api, token, accountId, receiver.url);
    for (let round = 0; round < ROUNDS; round++) {
      const ids = Array.from({ length: EVENTS / count }, () => randomUUID());
      const network = { accountId, providerId, location: REGION, cidr: "10.0.0.0/16" };
      await db.network.createMany({ data: ids.map((id) => ({ ...network, id })) });
      const expected = ids.length * count;
      await until(async () => arrivals.length >= expected);
      const [first, last] = [arrivals[0] ?? 0, arrivals.at(-1) ?? 0];
      perSecond.push((expected - 1) / ((last - first) / 1000));
      arrivals.length = 0;
    }
  } finally {
    await receiver.close();
  }
  return medianOf(perSecond);
}

async function addWebhook(api: LaunchedProcess, token: string, accountId: string, url: string): Promise<void> {
  const answer = await fetch(`${api.url}/accounts/${accountId}/webhooks`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ webhook: { url, events: ["resource.created"] } }),
  });
  if (!answer.ok) throw new Error(`POST /webhooks answered ${answer.status}: ${await answer.text()}`);
}
