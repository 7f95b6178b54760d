import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { REGION, startBenchEnvironment } from "../../load/bench-environment.js";
import { build } from "../../load/build.js";
import { medianOf } from "../../load/statistics.js";
import { readOptions, wholeNumber } from "../../support/command.js";
import { installAuditTriggers } from "./audit-triggers.js";
import { Client } from "./client.js";
import { Fleet, type Restart } from "./fleet.js";
import { countReleases, findViolations } from "./invariants.js";
import { LoadBalancer } from "./load-balancer.js";
import { olderBuild } from "./older-build.js";
import { runWorkload } from "./workload.js";

const USAGE = `Usage: npm run chaos:deploy -- [--restarts N] [--clients N] [--pause MS]

Runs rolling deploys under load: two APIs and three workers, of which one after the other gets SIGTERM and is replaced. Some
workers lack half of the workflows. From the middle on, some run the build before the newest migration. No Request may
fail or be taken over, no attempt may be counted, and AWS must have exactly the objects of the ledger.

  --restarts N  processes to replace (50)
  --clients N   concurrent clients that create and remove resources (4)
  --pause MS    pause between two restarts (1000)`;

const values = readOptions(USAGE, {
  restarts: { type: "string", default: "50" },
  clients: { type: "string", default: "4" },
  pause: { type: "string", default: "1000" },
});

const count = wholeNumber("restarts", values.restarts);
const clientCount = wholeNumber("clients", values.clients);
const pauseMs = wholeNumber("pause", values.pause);
const folder = fileURLToPath(new URL("../../../.gantry/deploy/", import.meta.url));
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const logFile = join(folder, "apps.log");

build();
const older = olderBuild(join(folder, "older"));
console.log("missing" in older ? `There is no older build: ${older.missing}.` : `The older build is ${older.commit}.`);
const bench = await startBenchEnvironment();
const balancer = await LoadBalancer.open();
try {
  const { db, aws, accountId, providerId, token } = bench;
  await installAuditTriggers(db);
  await db.providerLocation.updateMany({ where: { providerId }, data: { serverLimit: 10_000 } });
  await aws.setTransitionDelays({ instanceMs: 1000, volumeMs: 500, databaseMs: 3000 });
  const fleet = new Fleet(bench, balancer, logFile);
  await fleet.start();
  let isStopped = false;
  const clients = Array.from({ length: clientCount }, () => new Client(balancer.url, token));
  // Before its discovery a region offers what the specification lists, which AWS no longer has.
  await clients[0]?.complete("PUT", `/providers/${providerId}/locations/${REGION}/discover`);
  const workloads = Promise.all(
    clients.map((client, i) => runWorkload(client, { accountId, providerId }, `client-${i}`, () => isStopped)),
  );
  const failure = workloads.then(() => new Promise<never>(() => {}));
  const restarts: Restart[] = [];
  let olderSince: Date | undefined;
  for (let nth = 0; nth < count; nth++) {
    if (nth === Math.floor(count / 2) && "worker" in older) {
      olderSince = new Date();
      fleet.addWorkerBuild(older.worker);
    }
    await Promise.race([sleep(pauseMs), failure]);
    const done = await Promise.race([fleet.restart(nth), failure]);
    restarts.push(done);
    const { member, startMs, stopMs } = done;
    console.log(`${nth + 1}/${count} ${member}: up in ${startMs.toFixed(0)} ms, down in ${stopMs.toFixed(0)} ms`);
  }
  isStopped = true;
  await workloads;

  const violations = await findViolations(bench, { clients, restarts, olderSince });
  const accepted = clients.reduce((sum, client) => sum + client.accepted.size, 0);
  const resends = clients.reduce((sum, client) => sum + client.resends, 0);
  const releases = countReleases(logFile);
  if (releases === 0) violations.push("no worker released a Request: nothing was tested");
  const stops = restarts.map(({ stopMs }) => stopMs);
  console.log(`
${restarts.length} restarts, each down in ${medianOf(stops).toFixed(0)} ms at the median and ${Math.max(...stops).toFixed(0)} ms at most
${accepted} Requests accepted and ${await db.request.count()} run with their children; ${releases} releases by stopping workers
${resends} calls of clients were cut off and sent again`);
  for (const sentence of violations) console.error(`WRONG: ${sentence}`);
  process.exitCode = violations.length > 0 ? 1 : 0;
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  balancer.close();
  await bench.stop();
}
process.exit();
