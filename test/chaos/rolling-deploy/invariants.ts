import { readFileSync } from "node:fs";
import type { ObjectKind } from "@gantry/local-stack";
import { traceIdFrom } from "@gantry/runtime";
import type { BenchEnvironment } from "../../load/bench-environment.js";
import { auditEntries } from "./audit-triggers.js";
import type { Client } from "./client.js";
import type { Restart } from "./fleet.js";

interface DeployRun {
  clients: Client[];
  restarts: Restart[];
  /** Since when a build took part that counted every look of a stage as an attempt. */
  olderSince: Date | undefined;
}

/** What is not as it must be after the deploys, as sentences. */
export async function findViolations(
  bench: BenchEnvironment,
  { clients, restarts, olderSince }: DeployRun,
): Promise<string[]> {
  const { db } = bench;
  const wrong: string[] = [];
  const say = (sentence: string, list: string[]) => {
    if (list.length > 0) wrong.push(`${list.length} ${sentence}: ${list.slice(0, 5).join(", ")}`);
  };
  const requests = await db.request.findMany();
  const failed = requests.filter(({ successful }) => !successful);
  say(
    "Requests did not succeed",
    failed.map(({ id, type, message }) => `${type} ${id} (${message ?? "not ended"})`),
  );
  const accepted = new Map(clients.flatMap((client) => [...client.accepted]));
  const keys = await db.idempotencyKey.findMany({ where: { requestId: { not: null } } });
  const kept = new Map(keys.map(({ key, requestId }) => [key, requestId]));
  const lost = [...accepted].filter(([key, id]) => kept.get(key) !== id);
  say(
    "accepted Requests are not the ones on record",
    lost.map(([, id]) => id),
  );
  const asked = requests.filter(({ parentId }) => parentId === null);
  if (asked.length !== accepted.size) wrong.push(`${asked.length} Requests stand for ${accepted.size} accepted ones`);

  const excused = await failedByEmulator(bench);
  const traces = new Map(requests.map(({ id, traceId }) => [id, traceId]));
  const isOurs = ({ requestId }: { requestId: string }) => !excused.has(traces.get(requestId) ?? "");
  const seen = await auditEntries(db);
  const of = (what: string) => seen.filter((each) => each.kind === what);
  say(
    "takeovers",
    of("takeover").map(({ requestId }) => requestId),
  );
  say(
    "counted attempts",
    of("failure")
      .filter(isOurs)
      .map(({ requestId }) => requestId),
  );
  const shown = of("attempt").filter((each) => isOurs(each) && (!olderSince || each.at < olderSince));
  say(
    "attempts shown on stages",
    shown.map(({ requestId }) => requestId),
  );
  say(
    "processes did not end by themselves",
    restarts.filter(({ exitCode }) => exitCode !== 0).map(({ member, exitCode }) => `${member} with ${exitCode}`),
  );
  return [...wrong, ...(await compareWithAws(bench))];
}

/** The traces in which the emulator itself broke down under a call: what Requests count then is no deploy's doing. */
async function failedByEmulator({ aws }: BenchEnvironment): Promise<Set<string>> {
  const broken = (await aws.calls()).filter(({ outcome }) => outcome === "unreachable");
  const traces = new Set(broken.map(({ trace }) => traceIdFrom(trace)));
  if (traces.size > 0)
    console.log(`The emulator itself failed in ${broken.length} calls; their Requests may count that.`);
  return traces;
}

/** What AWS has and the ledger does not know, and the other way round. */
async function compareWithAws({ db, aws, awsAccount }: BenchEnvironment): Promise<string[]> {
  const inventory = await aws.inventory(awsAccount);
  const ledger = await db.cloudObject.findMany({ where: { removedAt: null } });
  const nameOf = (kind: string, id: string | null) => `${kind} ${id}`;
  const known = new Set(ledger.map(({ kind, cloudId }) => nameOf(kind, cloudId)));
  const tokens = new Set(ledger.map(({ id }) => id));
  const found = Object.entries(inventory).flatMap(([kind, things]) => things.map((thing) => ({ kind, ...thing })));
  const there = new Set(found.map(({ kind, id }) => nameOf(kind, id)));
  // A disk that came with its instance bears the token of that.
  const isKnown = ({ kind, id, tags }: (typeof found)[number]) =>
    known.has(nameOf(kind, id)) || (kind === "volume" && tokens.has(tags["gantry:token"] ?? ""));
  return [
    ...found.filter((thing) => !isKnown(thing)).map(({ kind, id }) => `AWS has the ${kind} ${id}, the ledger does not`),
    ...ledger
      .filter(({ kind, cloudId }) => (kind as ObjectKind) in inventory && !there.has(nameOf(kind, cloudId)))
      .map(({ kind, cloudId }) => `the ledger has the ${kind} ${cloudId}, AWS does not`),
  ];
}

/** How many Requests workers gave back when they were asked to stop: without any, nothing was tried. */
export function countReleases(logFile: string): number {
  const lines = readFileSync(logFile, "utf8").split("\n");
  return lines.filter((line) => line.includes('"msg":"request sleeps"') && line.includes('"seconds":0,"attempts"'))
    .length;
}
