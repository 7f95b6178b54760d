import { type Db, findTampering, linkAuditRecords } from "@gantry/db";
import { DEFAULT_SETTINGS } from "../../support/default-settings.js";
import { unfounded, unrecorded } from "../../support/records.js";
import type { Accepted } from "./client.js";
import { type CloudEvidence, compareCloud } from "./cloud-invariants.js";
import { type FollowedEvents, unreported } from "./event-invariants.js";
import { type Subscription, undelivered } from "./webhook-invariants.js";

/** The sources that the checker compares: the accepted Requests, the database, and AWS. */
export interface Evidence extends CloudEvidence {
  accepted: Accepted[];
  outages: readonly Outage[];
  followed: readonly FollowedEvents[];
  webhooks: readonly Subscription[];
}

/** A process that the campaign has killed or frozen. */
export interface Outage {
  name: string;
  at: Date;
}

/** One sentence for each violation. */
export interface Violations {
  lost: string[];
  duplicated: string[];
  leaked: string[];
  missing: string[];
  stuck: string[];
  overlapping: string[];
  unfenced: string[];
  /** Accepted acts without exactly one record in the audit, and records that are not as they were written. */
  unaudited: string[];
  /** Records that differ from what exists. */
  misreported: string[];
  /** What happened without an event, what only an event reports, and what a reader missed. */
  unreported: string[];
  /** Events that a webhook wants and its receiver never accepted, and deliveries with a wrong signature. */
  undelivered: string[];
}

export interface Figures {
  accepted: number;
  requests: number;
  /** The results of the clients' Requests, counted. */
  endings: Record<string, number>;
  objects: number;
  writes: number;
  /** Deliveries that webhooks accepted. */
  deliveries: number;
  /** Seconds from the kill or freeze of a worker to the next claim of its Request. */
  takeovers: Record<TakeoverKind, number[]>;
  /** Takeovers from workers that were neither killed nor frozen: a number, and a sentence for each of the others. */
  leasesLost: { whilePostgresKilled: number; otherwise: string[] };
}

/**
 * `changing`: the worker changed something in AWS just then. `interrupted`: another worker, PostgreSQL or Redis was killed
 * before the takeover.
 */
export type TakeoverKind = "idle" | "changing" | "interrupted";

/** Checks the invariants when all Requests have ended or the time is over. */
export async function checkInvariants(evidence: Evidence): Promise<{ violations: Violations; figures: Figures }> {
  const { db, accepted } = evidence;
  const requests = await db.request.findMany({
    select: { id: true, type: true, parentId: true, finishedAt: true, successful: true, message: true },
  });
  const known = new Map(requests.map((request) => [request.id, request]));
  const acceptedIds = new Set(accepted.map(({ requestId }) => requestId));
  const lost = accepted.filter(({ requestId }) => !known.has(requestId));
  const unaccepted = requests.filter(({ id, parentId }) => parentId === null && !acceptedIds.has(id));
  const stuck = requests.filter(({ finishedAt }) => !finishedAt);
  const cloud = await compareCloud(evidence);
  const writes = await db.$queryRaw<{ writer: string; table: string; holder: string | null; count: number }[]>`
    SELECT writer, table_name AS "table", holder, count(*)::int FROM audit.writes
    GROUP BY 1, 2, 3 ORDER BY holder IS DISTINCT FROM writer DESC`;
  const unfenced = writes.filter(({ writer, holder }) => writer !== holder);
  const endings: Record<string, number> = {};
  for (const { successful, message } of requests.filter(({ parentId }) => parentId === null)) {
    const ending = successful ? "done" : message === "Cancelled" ? "cancelled" : "failed";
    endings[ending] = (endings[ending] ?? 0) + 1;
  }
  return {
    violations: {
      lost: lost.map(({ requestId, input }) => `${input}: ${requestId}`),
      duplicated: [...unaccepted.map(({ type, id }) => `no client received ${type} ${id}`), ...cloud.duplicated],
      leaked: cloud.leaked,
      missing: cloud.missing,
      stuck: stuck.map(({ type, id }) => `${type} ${id}`),
      overlapping: await overlaps(db),
      unaudited: await unaudited(db),
      unreported: await unreported(db, evidence.followed),
      undelivered: (await Promise.all(evidence.webhooks.map((each) => undelivered(db, each)))).flat(),
      misreported: [...(await unrecorded(db)), ...(await unfounded(db))],
      unfenced: unfenced.map(
        ({ writer, table, holder, count }) => `${table}: ${writer} wrote ${count}×, not ${holder}`,
      ),
    },
    figures: {
      accepted: accepted.length,
      requests: requests.length,
      endings,
      objects: cloud.objects,
      writes: writes.reduce((sum, { count }) => sum + count, 0),
      deliveries: await db.webhookDelivery.count({ where: { state: "delivered" } }),
      ...(await takeovers(evidence)),
    },
  };
}

async function unaudited(db: Db): Promise<string[]> {
  await linkAuditRecords(db);
  const rows = await db.$queryRaw<{ id: string; type: string; records: number }[]>`
    SELECT r.id, r.type, count(a.id)::int AS records FROM requests r LEFT JOIN audit_records a ON a.request_id = r.id
    WHERE r.user_id IS NOT NULL GROUP BY r.id, r.type HAVING count(a.id) <> 1`;
  const chains = await db.$queryRaw<{ chain: string }[]>`SELECT DISTINCT chain FROM audit_records`;
  const found = rows.map(({ id, type, records }) => `${type} ${id} has ${records} records`);
  for (const { chain } of chains)
    for await (const each of findTampering(db, chain)) found.push(`${chain}: record ${each.position} ${each.found}`);
  return found;
}

/** The pairs of Requests that ran on one resource at the same time. */
async function overlaps(db: Db): Promise<string[]> {
  const rows = await db.$queryRaw<{ first: string; second: string; queue: string }[]>`
    SELECT a.id::text AS first, b.id::text AS second, a.queue_key AS queue FROM requests a JOIN requests b
    ON a.queue_key = b.queue_key AND a.seq < b.seq
      AND a.started_at < coalesce(b.finished_at, 'infinity') AND b.started_at < coalesce(a.finished_at, 'infinity')`;
  return rows.map(({ first, second, queue }) => `${queue}: ${first} and ${second}`);
}

const timeOf = (date: Date) => date.toISOString().slice(11, 23);

/** Measures the takeovers: from the outage of a worker to the next claim of its Request. */
async function takeovers({ db, outages }: Evidence): Promise<Pick<Figures, "takeovers" | "leasesLost">> {
  const rows = await db.$queryRaw<{ id: string; at: Date; from: string | null; since: Date; leaseUntil: Date }[]>`
    SELECT id, at, "from", since, lease_until AS "leaseUntil" FROM (
      SELECT request_id AS id, at, taken_over, lease_until, lag(holder) OVER held AS "from", lag(at) OVER held AS since
      FROM audit.claims WINDOW held AS (PARTITION BY request_id ORDER BY seq)) held
    WHERE taken_over`;
  const { LEASE_SECONDS, AWS_CALL_SECONDS } = DEFAULT_SETTINGS;
  const [leaseMs, longestLeaseMs] = [LEASE_SECONDS * 1000, (LEASE_SECONDS + AWS_CALL_SECONDS) * 1000];
  const isKilled = (processes: RegExp, from: number, to: Date) =>
    outages.some(({ name, at }) => processes.test(name) && from < at.getTime() && at < to);
  const takeovers: Figures["takeovers"] = { idle: [], changing: [], interrupted: [] };
  const leasesLost: Figures["leasesLost"] = { whilePostgresKilled: 0, otherwise: [] };
  for (const { id, at, from, since, leaseUntil } of rows) {
    const outage = outages.find(({ name, at: down }) => name === from && since <= down && down < at);
    if (!outage) {
      if (isKilled(/^postgres/, leaseUntil.getTime() - longestLeaseMs, at)) {
        leasesLost.whilePostgresKilled += 1;
        continue;
      }
      const own = outages.filter(({ name }) => name === from).map((each) => `killed or frozen ${timeOf(each.at)}`);
      const held = `held ${id} from ${timeOf(since)}, at most until ${timeOf(leaseUntil)}; taken over ${timeOf(at)}`;
      leasesLost.otherwise.push(`${from} (${own.join(", ") || "never killed or frozen"}) ${held}`);
      continue;
    }
    const down = outage.at.getTime();
    // Only a lease under which a change was made lasts longer than a renewal makes it.
    const isChanging = leaseUntil.getTime() - down > leaseMs;
    const kind = isKilled(/^(worker|postgres|redis)/, down, at) ? "interrupted" : isChanging ? "changing" : "idle";
    takeovers[kind].push((at.getTime() - down) / 1000);
  }
  return { takeovers, leasesLost };
}
