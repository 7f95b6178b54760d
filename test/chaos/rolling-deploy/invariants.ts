import { readFileSync } from "node:fs";
import type { ObjectKind } from "@gantry/local-stack";
import { traceIdFrom } from "@gantry/runtime";
import type { BenchEnvironment } from "../../load/bench-environment.js";
import { type AuditEntry, auditEntries } from "./audit-triggers.js";
import type { Client } from "./client.js";
import type { Restart } from "./fleet.js";

interface DeployRun {
  clients: Client[];
  restarts: Restart[];
  /** The start of an older build, which counts every check of a stage as an attempt. */
  olderSince: Date | undefined;
}

/** One sentence for each kind of violation after the deploys. */
export async function findViolations(
  bench: BenchEnvironment,
  { clients, restarts, olderSince }: DeployRun,
): Promise<string[]> {
  const { db } = bench;
  const violations: string[] = [];
  const report = (sentence: string, list: string[]) => {
    if (list.length > 0) violations.push(`${list.length} ${sentence}: ${list.slice(0, 5).join(", ")}`);
  };
  const requests = await db.request.findMany();
  const failed = requests.filter(({ successful }) => !successful);
  report(
    "Requests did not succeed",
    failed.map(({ id, type, message }) => `${type} ${id} (${message ?? "not finished"})`),
  );
  const accepted = new Map(clients.flatMap((client) => [...client.accepted]));
  const keys = await db.idempotencyKey.findMany({ where: { requestId: { not: null } } });
  const recorded = new Map(keys.map(({ key, requestId }) => [key, requestId]));
  const lost = [...accepted].filter(([key, id]) => recorded.get(key) !== id);
  report(
    "accepted Requests differ from the recorded ones",
    lost.map(([, id]) => id),
  );
  const roots = requests.filter(({ parentId }) => parentId === null);
  if (roots.length !== accepted.size)
    violations.push(`${roots.length} Requests exist for ${accepted.size} accepted ones`);

  const excludedTraces = await failedByEmulator(bench);
  const traces = new Map(requests.map(({ id, traceId }) => [id, traceId]));
  const isCounted = ({ requestId }: { requestId: string }) => !excludedTraces.has(traces.get(requestId) ?? "");
  const entries = await auditEntries(db);
  const entriesOf = (kind: AuditEntry["kind"]) => entries.filter((each) => each.kind === kind);
  report(
    "takeovers",
    entriesOf("takeover").map(({ requestId }) => requestId),
  );
  report(
    "counted attempts",
    entriesOf("failure")
      .filter(isCounted)
      .map(({ requestId }) => requestId),
  );
  const shown = entriesOf("attempt").filter((each) => isCounted(each) && (!olderSince || each.at < olderSince));
  report(
    "attempts shown on stages",
    shown.map(({ requestId }) => requestId),
  );
  report(
    "processes did not exit with 0",
    restarts.filter(({ exitCode }) => exitCode !== 0).map(({ member, exitCode }) => `${member} with ${exitCode}`),
  );
  return [...violations, ...(await compareWithAws(bench))];
}

/** The traces in which the emulator failed under a call. Attempts in these are not caused by a deploy. */
async function failedByEmulator({ aws }: BenchEnvironment): Promise<Set<string>> {
  const failed = (await aws.calls()).filter(({ outcome }) => outcome === "unreachable");
  const traces = new Set(failed.map(({ trace }) => traceIdFrom(trace)));
  if (traces.size > 0) console.log(`The emulator failed in ${failed.length} calls; their Requests may count attempts.`);
  return traces;
}

/** The objects that only AWS has, and those that only the ledger has. */
async function compareWithAws({ db, aws, awsAccount }: BenchEnvironment): Promise<string[]> {
  const inventory = await aws.inventory(awsAccount);
  const ledger = await db.cloudObject.findMany({ where: { removedAt: null } });
  const nameOf = (kind: string, id: string | null) => `${kind} ${id}`;
  const known = new Set(ledger.map(({ kind, cloudId }) => nameOf(kind, cloudId)));
  const tokens = new Set(ledger.map(({ id }) => id));
  const found = Object.entries(inventory).flatMap(([kind, objects]) => objects.map((object) => ({ kind, ...object })));
  const existing = new Set(found.map(({ kind, id }) => nameOf(kind, id)));
  // The disk of an instance has the token of the instance.
  const isKnown = ({ kind, id, tags }: (typeof found)[number]) =>
    known.has(nameOf(kind, id)) || (kind === "volume" && tokens.has(tags["gantry:token"] ?? ""));
  return [
    ...found
      .filter((object) => !isKnown(object))
      .map(({ kind, id }) => `AWS has the ${kind} ${id}, the ledger does not`),
    ...ledger
      .filter(({ kind, cloudId }) => (kind as ObjectKind) in inventory && !existing.has(nameOf(kind, cloudId)))
      .map(({ kind, cloudId }) => `the ledger has the ${kind} ${cloudId}, AWS does not`),
  ];
}

/** Counts the Requests that stopping workers released. Without any, the campaign tested nothing. */
export function countReleases(logFile: string): number {
  const lines = readFileSync(logFile, "utf8").split("\n");
  return lines.filter((line) => line.includes('"msg":"request sleeping"') && line.includes('"seconds":0,"attempts"'))
    .length;
}
