import { setTimeout as sleep } from "node:timers/promises";
import { type BenchEnvironment, REGION } from "../../load/bench-environment.js";
import { API } from "../../load/build.js";
import { runCampaign } from "../../load/run-campaign.js";
import { readOptions, wholeNumber } from "../../support/command.js";
import { until } from "../../support/until.js";
import { addEndedRequests, sizesOf, TABLES, wrongRows } from "./ended-requests.js";
import { OpenLoop } from "./open-loop.js";

const USAGE = `Usage: npm run chaos:retention -- [--requests N] [--seconds N]

Adds ended Requests to an empty database and lets a process remove the old ones as a worker does, while the API answers 200 reads and accepts
20 networks a second. The 99th percentiles of both, measured from the moments at which the calls were due, must stay below
1.5 times what they are without the removal, plus 5 ms. Afterwards the tables must hold exactly what is kept.

  --requests N  ended Requests (1000000)
  --seconds N   duration of the traffic without the removal, once before it and once after (45)`;

const READS_PER_SECOND = 200;
const ACCEPTS_PER_SECOND = 20;
const MAX_RATIO = 1.5;
const FLOOR_MS = 5;
const WARM_UP_SECONDS = 10;
const READ_IDS = 1000;
const DAYS = 90;
const REMOVAL_SECONDS = 2400;

const values = readOptions(USAGE, {
  requests: { type: "string", default: "1000000" },
  seconds: { type: "string", default: "45" },
});
const count = wholeNumber("requests", values.requests);
const seconds = wholeNumber("seconds", values.seconds);

await runCampaign(measureRemoval);

async function measureRemoval({
  db,
  databaseUrl,
  launch,
  accountId,
  providerId,
  token,
}: BenchEnvironment): Promise<boolean> {
  const start = performance.now();
  await addEndedRequests(db, accountId, providerId, count);
  console.log(`${count} ended Requests added in ${secondsSince(start)} s: ${await sizesOf(db)}`);
  const ids = await db.$queryRaw<{ id: string }[]>`
    SELECT id FROM made WHERE account_id = ${accountId}::uuid AND is_kept ORDER BY i LIMIT ${READ_IDS}`;
  const api = await launch(API);
  const calls = callsTo(api.url);
  const traffic = {
    reads: new OpenLoop(READS_PER_SECOND, calls.read(ids)),
    accepts: new OpenLoop(ACCEPTS_PER_SECOND, calls.accept),
  };
  await sleep(WARM_UP_SECONDS * 1000);
  const before = await windowOf(() => sleep(seconds * 1000));
  const remover = await launch("test/chaos/retention/remover.mjs", [databaseUrl, String(DAYS)]);
  const during = await windowOf(() => until(async () => (await pass()).isFinished, REMOVAL_SECONDS));
  const { removed, seconds: passSeconds } = await pass();
  await remover.stop();
  const after = await windowOf(() => sleep(seconds * 1000));
  await Promise.all([traffic.reads.stop(), traffic.accepts.stop()]);

  const perSecond = Math.round(removed / passSeconds);
  console.log(`${removed} Requests removed in ${passSeconds.toFixed(1)} s: ${perSecond} a second`);
  const problems = await wrongRows(db);
  for (const [name, loop] of Object.entries(traffic)) {
    const [without, withRemoval] = [loop.p99(before, after), loop.p99(during)];
    console.log(`p99 of ${name}: ${without.toFixed(1)} ms without the removal, ${withRemoval.toFixed(1)} ms during it`);
    if (loop.failures.length > 0)
      problems.push(`${loop.failures.length} ${name} failed, first with ${loop.failures[0]}`);
    if (withRemoval > MAX_RATIO * without + FLOOR_MS) problems.push(`The removal delays ${name}.`);
  }
  for (const table of TABLES) await db.$executeRawUnsafe(`VACUUM "${table}"`);
  console.log(`After VACUUM: ${await sizesOf(db)}`);
  for (const problem of problems) console.error(problem);
  return problems.length === 0;

  async function pass() {
    const { startedAt, finishedAt, removed } = await db.retentionPass.findUniqueOrThrow({
      where: { name: "requests" },
    });
    const passSeconds = ((finishedAt?.getTime() ?? 0) - startedAt.getTime()) / 1000;
    return { isFinished: finishedAt !== null, seconds: passSeconds, removed };
  }

  function callsTo(url: string) {
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const call = async (path: string, init?: RequestInit) => {
      const response = await fetch(`${url}${path}`, { headers, ...init });
      const text = await response.text();
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text}`);
    };
    const network = { provider: providerId, network: { cidr: "10.0.0.0/16", location: REGION } };
    return {
      accept: () => call("/networks", { method: "POST", body: JSON.stringify(network) }),
      read: (known: { id: string }[]) => {
        const paths = ["/requests", "/networks", `/accounts/${accountId}/requests`];
        let turn = 0;
        return () => {
          turn++;
          const { id } = known[turn % known.length] as { id: string };
          return call(turn % 2 === 0 ? `/requests/${id}` : (paths[((turn - 1) / 2) % paths.length] as string));
        };
      },
    };
  }
}

async function windowOf(work: () => Promise<unknown>): Promise<readonly [from: number, to: number]> {
  const from = performance.now();
  await work();
  return [from, performance.now()];
}

function secondsSince(start: number): string {
  return ((performance.now() - start) / 1000).toFixed(0);
}
