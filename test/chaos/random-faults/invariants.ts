import type { Db } from "@gantry/db";
import type { AwsAccount, AwsControl, FoundObject, Inventory, ObjectKind } from "@gantry/local-stack";
import { unfounded, unrecorded } from "../../support/records.js";
import type { Accepted } from "./client.js";

/** What the checker joins: what customers were promised, what is on record, and what is in AWS. */
export interface Evidence {
  db: Db;
  aws: AwsControl;
  accounts: AwsAccount[];
  accepted: Accepted[];
  outages: readonly Outage[];
}

/** That a process died or froze by our doing. */
export interface Outage {
  name: string;
  at: Date;
}

export interface Violations {
  /** Each is a promise broken, in words; empty where all is well. */
  lost: string[];
  duplicated: string[];
  leaked: string[];
  missing: string[];
  stuck: string[];
  overlapping: string[];
  unfenced: string[];
  /** Where what customers see is not what exists. */
  misreported: string[];
}

export interface Figures {
  accepted: number;
  requests: number;
  /** How the Requests ended that customers had asked for. */
  endings: Record<string, number>;
  objects: number;
  writes: number;
  /** How long Requests lay still after their worker was killed or frozen, in seconds. */
  takeovers: number[];
  /** Taken over from workers that had lost their lease while they were alive. */
  otherTakeovers: number;
}

interface LedgerRow {
  id: string;
  kind: string;
  cloudId: string | null;
  removedAt: Date | null;
  requestId: string;
}

/** Tells what is wrong when everything has come to rest. */
export async function checkInvariants(evidence: Evidence): Promise<{ finding: Violations; figures: Figures }> {
  const { db, accepted } = evidence;
  const requests = await db.request.findMany({
    select: { id: true, type: true, parentId: true, finishedAt: true, successful: true, message: true },
  });
  const known = new Map(requests.map((request) => [request.id, request]));
  const asked = new Set(accepted.map(({ requestId }) => requestId));
  const lost = accepted.filter(({ requestId }) => !known.has(requestId));
  const unasked = requests.filter(({ id, parentId }) => parentId === null && !asked.has(id));
  const stuck = requests.filter(({ finishedAt }) => !finishedAt);
  const cloud = await compareCloud(evidence);
  const writes = await db.$queryRaw<{ writer: string; place: string; holder: string | null; count: number }[]>`
    SELECT writer, place, holder, count(*)::int FROM witness.writes
    GROUP BY 1, 2, 3 ORDER BY holder IS DISTINCT FROM writer DESC`;
  const unfenced = writes.filter(({ writer, holder }) => writer !== holder);
  const endings: Record<string, number> = {};
  for (const { successful, message } of requests.filter(({ parentId }) => parentId === null)) {
    const ending = successful ? "done" : message === "Cancelled" ? "cancelled" : "failed";
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  return {
    finding: {
      lost: lost.map(({ requestId, input: what }) => `${what}: ${requestId}`),
      duplicated: [...unasked.map(({ type, id }) => `nobody was told of ${type} ${id}`), ...cloud.duplicated],
      leaked: cloud.leaked,
      missing: cloud.missing,
      stuck: stuck.map(({ type, id }) => `${type} ${id}`),
      overlapping: await overlaps(db),
      misreported: [...(await unrecorded(db)), ...(await unfounded(db))],
      unfenced: unfenced.map(
        ({ writer, place, holder, count }) => `${place}: ${writer} wrote ${count}×, not ${holder}`,
      ),
    },
    figures: {
      accepted: accepted.length,
      requests: requests.length,
      endings,
      objects: cloud.objects,
      writes: writes.reduce((sum, { count }) => sum + count, 0),
      ...(await takeovers(evidence)),
    },
  };
}

/** Two Requests that ran on one resource at the same time. */
async function overlaps(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ first: string; second: string; queue: string }[]>`
    SELECT a.id::text AS first, b.id::text AS second, a.queue_key AS queue FROM requests a JOIN requests b
    ON a.queue_key = b.queue_key AND a.seq < b.seq
      AND a.started_at < coalesce(b.finished_at, 'infinity') AND b.started_at < coalesce(a.finished_at, 'infinity')`;
  return rows.map(({ first, second, queue }) => `${queue}: ${first} and ${second}`);
}

async function compareCloud({ db, aws, accounts }: Evidence) {
  const ledger = await db.$queryRaw<LedgerRow[]>`
    SELECT id::text, kind, cloud_id AS "cloudId", removed_at AS "removedAt", request_id::text AS "requestId"
    FROM cloud_objects`;
  const named = await db.$queryRaw<{ kind: string; id: string }[]>`
    SELECT leak->>'kind' AS kind, leak->>'id' AS id FROM requests, jsonb_array_elements(leaked_resources) leak`;
  const living = new Map(
    ledger
      .filter(({ removedAt, cloudId }) => !removedAt && cloudId)
      .map((row) => [`${row.kind} ${lastPart(row.cloudId)}`, row]),
  );
  const livingTokens = new Map(ledger.filter(({ removedAt }) => !removedAt).map((row) => [row.id, row]));
  const leakedByName = new Set(named.map(({ kind, id }) => `${kind} ${lastPart(id)}`));
  const existing = new Set<string>();
  const duplicated: string[] = [];
  const leaked: string[] = [];
  for (const account of accounts) {
    const inventory = await aws.inventory(account);
    const byToken = new Map<string, string>();
    for (const [kind, found] of entriesOf(inventory)) {
      for (const thing of found) {
        const name = `${kind} ${thing.id}`;
        existing.add(name);
        const token = thing.tags["gantry:token"];
        if (living.has(name) || leakedByName.has(name) || isPartOf(thing, kind, livingTokens, inventory)) {
          if (!token || livingTokens.get(token)?.kind !== kind) continue;
          const baseline = byToken.get(token);
          if (baseline) duplicated.push(`${name} and ${baseline}`);
          byToken.set(token, name);
        } else if (token && livingTokens.get(token)?.kind === kind) {
          duplicated.push(`${name}, beside ${livingTokens.get(token)?.cloudId}`);
        } else leaked.push(`${name} ${thing.tags["gantry:resource"] ?? ""} of request ${thing.tags["gantry:request"]}`);
      }
    }
  }
  const missing = [...living]
    .filter(([name]) => !existing.has(name))
    .map(([name, { requestId }]) => `${name} of ${requestId}`);
  return { duplicated, leaked, missing, objects: existing.size };
}

/** Kinds whose token their disks carry: an instance, and a launch template for the disks of its instances. */
const KINDS_WITH_DISKS: ReadonlySet<string | undefined> = new Set(["instance", "launch_template"]);

/** What AWS made along with something of ours: an instance's disk, or an instance of a scaling group. */
function isPartOf(
  { tags }: FoundObject,
  kind: ObjectKind,
  livingTokens: Map<string, LedgerRow>,
  inventory: Inventory,
): boolean {
  if (kind === "volume") return KINDS_WITH_DISKS.has(livingTokens.get(tags["gantry:token"] ?? "")?.kind);
  const group = tags["aws:autoscaling:groupName"];
  return kind === "instance" && inventory.auto_scaling_group.some(({ id }) => id === group);
}

/** The name in an ARN; anything else as it is. */
function lastPart(id: string | null): string {
  return id?.startsWith("arn:") ? (id.split("/").at(-1) ?? "") : (id ?? "");
}

function entriesOf(inventory: Inventory): [ObjectKind, FoundObject[]][] {
  return Object.entries(inventory) as [ObjectKind, FoundObject[]][];
}

/** How long Requests lay still: from the moment that their worker went down until another held them. */
async function takeovers({ db, outages }: Evidence): Promise<Pick<Figures, "takeovers" | "otherTakeovers">> {
  const rows = await db.$queryRaw<{ at: Date; from: string | null; since: Date | null }[]>`
    SELECT at, "from", since FROM (
      SELECT at, taken_over, lag(holder) OVER held AS "from", lag(at) OVER held AS since
      FROM witness.holds WINDOW held AS (PARTITION BY request_id ORDER BY seq)) held
    WHERE taken_over`;
  const seconds = rows.flatMap(({ at, from, since }) => {
    const down = outages.find(({ name, at: fell }) => name === from && since && since <= fell && fell < at);
    return down ? [(at.getTime() - down.at.getTime()) / 1000] : [];
  });
  return { takeovers: seconds, otherTakeovers: rows.length - seconds.length };
}
