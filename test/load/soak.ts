// Keeps reads and changes coming for half an hour, and reports whether memory stays flat and no client meets an error.
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import autocannon from "autocannon";
import { readOptions, wholeNumber } from "../support/command.js";
import { megabytesOf } from "../support/process-memory.js";
import {
  type BenchEnvironment,
  type LaunchedProcess,
  REGION,
  startBenchEnvironment,
  type Tenant,
} from "./bench-environment.js";
import { API, bundle, WORKER } from "./build.js";
import { requestClient } from "./request-client.js";
import { medianOf } from "./statistics.js";

const USAGE = `Usage: npm run soak [-- --minutes N] [--reads N] [--changes N] [--memberships N] [--delay MS]

Has an API and a worker serve reads, changes of records and Requests against the emulated AWS. Reports p99, memory and lost
leases; ends with 1 if a call fails, a Request fails, the worker loses a lease although it lives, or a process needs more
memory at the end than after a sixth of the time.

  --minutes N      how long (30)
  --reads N        reads a second (200)
  --changes N      changes a second (20); one more creates a Request
  --memberships N  changes of memberships and tokens a second, by another customer (0)
  --delay MS       added to each call to AWS, so that more Requests run at a time (0)`;

/** The growth that is noise: of what a process needs, caches that fill; of what it holds, garbage that is left for later. */
const NOISE = { needed: 1.15, held: 1.5, megabytes: 20 };
/** As the images run, and with a report of what is left after a garbage collection. */
const NODE_OPTIONS = `--expose-gc --import ${new URL("report-heap.mjs", import.meta.url)}`;
const SAMPLE_MS = 5000;

const values = readOptions(USAGE, {
  minutes: { type: "string", default: "30" },
  reads: { type: "string", default: "200" },
  changes: { type: "string", default: "20" },
  memberships: { type: "string", default: "0" },
  delay: { type: "string", default: "0" },
});
const minutes = wholeNumber("minutes", values.minutes);
const reads = wholeNumber("reads", values.reads);
const changes = wholeNumber("changes", values.changes);
const memberships = values.memberships === "0" ? 0 : wholeNumber("memberships", values.memberships);
const delayMs = values.delay === "0" ? 0 : wholeNumber("delay", values.delay);

bundle();
const environment = await startBenchEnvironment();
try {
  process.exitCode = (await soak(environment)) ? 0 : 1;
} finally {
  await environment.stop();
}

async function soak(environment: BenchEnvironment): Promise<boolean> {
  const api = await environment.launch(API, [], { NODE_OPTIONS });
  const worker = await environment.launch(WORKER, [], { NODE_OPTIONS });
  const other = await environment.addTenant();
  const { aws, awsAccount, db } = environment;
  if (delayMs > 0) await aws.delay("*", delayMs, { accountId: awsAccount.accountId });
  await recordTakeovers(db);
  const seconds = minutes * 60;
  const measured: Measured[] = [
    { name: "API", process: api, held: [], needed: [] },
    { name: "worker", process: worker, held: [], needed: [] },
  ];
  const sampling = setInterval(() => {
    for (const { process, held } of measured) held.push(megabytesOf(process.pid));
  }, SAMPLE_MS);
  const afterSixth = setTimeout(() => void Promise.all(measured.map(measureNeed)), (seconds * 1000) / 6);

  const end = Date.now() + seconds * 1000;
  console.log(`${reads} reads and ${changes} changes a second, for ${minutes} min`);
  const flows = await Promise.all([
    readsOf(api.url, environment, seconds),
    changesOf(api.url, environment, seconds),
    networksOf(api.url, environment, end),
    memberships > 0 ? membershipsOf(api.url, other, seconds) : undefined,
  ]).finally(() => {
    clearInterval(sampling);
    clearTimeout(afterSixth);
  });
  await Promise.all(measured.map(measureNeed));

  const [read, change, networks, membership] = flows;
  const traffic = { reads: read, changes: change, ...(membership && { memberships: membership }) };
  let isOk = networks.failures.length === 0;
  for (const [name, { latency, errors, timeouts, non2xx, ...result }] of Object.entries(traffic)) {
    console.log(
      `${name}: ${result["2xx"]} answered, ${non2xx} refused, ${errors} errors, ${timeouts} too late; p50 ${latency.p50} ms, ` +
        `p99 ${latency.p99} ms, longest ${latency.max} ms`,
    );
    if (non2xx > 0 || errors > 0 || result["2xx"] === 0) isOk = false;
  }
  console.log(`networks: ${networks.count} provisioned and removed, ${networks.failures.length} failures`);
  for (const failure of networks.failures.slice(0, 5)) console.log(`  ${failure}`);
  const [claims] = await db.$queryRaw<[{ all: number; takeovers: number }]>`
    SELECT count(*)::int AS all, count(*) FILTER (WHERE is_takeover)::int AS takeovers FROM soak_claims`;
  console.log(`leases: ${claims.all} claimed, ${claims.takeovers} of them from a worker that had lost it`);
  if (claims.all === 0 || claims.takeovers > 0) isOk = false;
  for (const each of measured) if (!reportMemory(each)) isOk = false;
  return isOk;
}

/** Has the database write down each claim of a Request, and whether the lease before had run out. */
async function recordTakeovers(db: BenchEnvironment["db"]): Promise<void> {
  await db.$executeRaw`CREATE TABLE soak_claims (request_id uuid, is_takeover boolean)`;
  await db.$executeRaw`
    CREATE FUNCTION soak_claim() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO soak_claims VALUES (NEW.id, OLD.lease_until IS NOT NULL);
      RETURN NULL;
    END $$`;
  // Only a claim increments the fence.
  await db.$executeRaw`
    CREATE TRIGGER soak_claim AFTER UPDATE ON requests FOR EACH ROW WHEN (NEW.fence > OLD.fence) EXECUTE FUNCTION soak_claim()`;
}

/** The memory of a process in MB: what it held at intervals, and what it needed after a sixth of the time and at the end. */
interface Measured {
  name: string;
  process: LaunchedProcess;
  held: number[];
  needed: number[];
}

async function measureNeed({ process, needed }: Measured): Promise<void> {
  const answered = once(process.process, "message");
  process.process.kill("SIGUSR2");
  const [{ neededBytes }] = (await answered) as [{ neededBytes: number }];
  needed.push(neededBytes / 2 ** 20);
}

function reportMemory({ name, held, needed }: Measured): boolean {
  const sixth = Math.max(1, Math.floor(held.length / 6));
  const [heldBefore, heldAfter] = [medianOf(held.slice(sixth, 2 * sixth)), medianOf(held.slice(-sixth))];
  const [before = 0, after = 0] = needed;
  const isFlat =
    after <= before * NOISE.needed + NOISE.megabytes && heldAfter <= heldBefore * NOISE.held + NOISE.megabytes;
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  console.log(
    `${name}: needs ${mb(before)} at first, ${mb(after)} at last; holds ${mb(heldBefore)}, ${mb(heldAfter)}, at most ` +
      `${mb(Math.max(...held))}${isFlat ? "" : ": it grows"}`,
  );
  return isFlat;
}

function headersOf({ token }: Tenant): Record<string, string> {
  return { authorization: `Bearer ${token}`, "content-type": "application/json" };
}

async function readsOf(url: string, tenant: Tenant, duration: number) {
  const { accountId, providerId, token } = tenant;
  const paths = [
    "/accounts",
    "/networks",
    "/requests",
    `/accounts/${accountId}/audit`,
    `/providers/${providerId}`,
    `/providers/${providerId}/locations`,
    "/users/current",
  ];
  const { send } = requestClient(url, token);
  for (const path of paths) await send("GET", path);
  return autocannon({
    url,
    headers: headersOf(tenant),
    requests: paths.map((path) => ({ method: "GET" as const, path })),
    connections: 10,
    overallRate: reads,
    duration,
  });
}

function changesOf(url: string, tenant: Tenant, duration: number) {
  let count = 0;
  const contact = () => JSON.stringify({ account: { emergency_contact: `contact ${count++}` } });
  return autocannon({
    url,
    headers: headersOf(tenant),
    requests: [
      {
        method: "PUT",
        path: `/accounts/${tenant.accountId}`,
        setupRequest: (request) => ({ ...request, body: contact() }),
      },
    ],
    connections: 4,
    overallRate: changes,
    duration,
  });
}

/** Sets the owner's role to its current value, for which every process must forget the owner's tokens. */
async function membershipsOf(url: string, tenant: Tenant, duration: number) {
  const { send } = requestClient(url, tenant.token);
  const { memberships: found } = await send<{ memberships: { id: string }[] }>(
    "GET",
    `/accounts/${tenant.accountId}/memberships`,
  );
  const body = JSON.stringify({ membership: { role: "owner" } });
  return autocannon({
    url,
    headers: headersOf(tenant),
    requests: [{ method: "PUT", path: `/memberships/${found[0]?.id}`, body }],
    connections: 4,
    overallRate: memberships,
    duration,
  });
}

/** Provisions a network each second and removes it, until the end. */
async function networksOf(url: string, { token, providerId }: Tenant, end: number) {
  const { requestAndWait } = requestClient(url, token);
  const failures: string[] = [];
  const open = new Set<Promise<void>>();
  let count = 0;
  while (Date.now() < end) {
    const network = { cidr: "10.0.0.0/16", location: REGION, skip_subnets: true };
    const cycle = requestAndWait("POST", "/networks", { provider: providerId, network })
      .then(({ resource }) => requestAndWait("DELETE", new URL(resource).pathname))
      .then(
        () => void count++,
        (error: Error) => void failures.push(error.message),
      )
      .finally(() => open.delete(cycle));
    open.add(cycle);
    await sleep(1000);
  }
  await Promise.all(open);
  return { count, failures };
}
