import { type Db, Prisma } from "@gantry/db";
import type { JobQueues } from "@gantry/queue";
import { createRequest } from "@gantry/requests";
import type { ResourceType } from "@gantry/resources";
import { IN_USE, LEDGER_COLUMNS, type LedgerRow } from "./ledger.js";

/** The first pause before a removal is tried again; each next one is four times as long, up to a day. */
const FIRST_PAUSE_MINUTES = 5;
const BATCH = 50;

type Reader = Pick<Db, "$queryRaw">;

/** A `remove_leaked_resources` Request. */
interface Removal {
  id: string;
  accountId: string;
}

/** The objects of the ledger that Requests of the account left, on the record of a removal or below it, with their lists. */
function leaksOf({ id, accountId }: Removal): Prisma.Sql {
  return Prisma.sql`requests removal JOIN requests r ON r.account_id = removal.account_id
    CROSS JOIN jsonb_array_elements(r.leaked_resources) leak
    JOIN cloud_objects c ON c.id = (leak->>'object')::uuid AND c.removed_at IS NULL
    JOIN requests made ON made.id = c.request_id
    WHERE removal.id = ${id}::uuid AND r.account_id = ${accountId}::uuid AND r.leaked_resources <> '[]'::jsonb
      AND ((r.resource_type, r.resource_id) = (removal.resource_type, removal.resource_id)
        OR (c.resource_type, c.resource_id) = (removal.resource_type, removal.resource_id))`;
}

/** The objects that a removal has to remove, the newest first. */
export function leakedObjects(db: Reader, removal: Removal): Promise<LedgerRow[]> {
  return db.$queryRaw<LedgerRow[]>`
    SELECT ${LEDGER_COLUMNS} FROM cloud_objects c WHERE c.id IN (SELECT c.id FROM ${leaksOf(removal)} AND NOT ${IN_USE})
    ORDER BY c.seq DESC`;
}

/** Removes from the lists of leaks what a later success of the same type has put to use. */
export async function forgetAdoptedLeaks(db: Reader, removal: Removal): Promise<void> {
  await db.$queryRaw`
    WITH adopted AS (SELECT r.id AS request_id, c.id::text AS object FROM ${leaksOf(removal)} AND ${IN_USE})
    UPDATE requests SET leaked_resources = coalesce((
      SELECT jsonb_agg(leak) FROM jsonb_array_elements(leaked_resources) leak
      WHERE NOT EXISTS (
        SELECT 1 FROM adopted WHERE adopted.request_id = requests.id AND adopted.object = leak->>'object')), '[]'::jsonb)
    WHERE id IN (SELECT request_id FROM adopted)`;
}

/** Creates a removal for each record whose leaks are due to be tried again, and sets the next time. */
export async function retryLeaks(db: Db, jobs: Pick<JobQueues, "add">): Promise<void> {
  const created = await db.$transaction(async (tx) => {
    const due = await tx.$queryRaw<{ accountId: string; type: ResourceType; id: string; traceId: string }[]>`
      WITH due AS (
        SELECT id FROM requests WHERE leaked_resources <> '[]'::jsonb AND leak_retry_at <= now()
        ORDER BY leak_retry_at LIMIT ${BATCH} FOR NO KEY UPDATE SKIP LOCKED),
      again AS (
        UPDATE requests SET leak_retries = leak_retries + 1, leak_retry_at = now() + ${leakPause("leak_retries + 1")}
        FROM due WHERE requests.id = due.id RETURNING requests.*)
      SELECT DISTINCT ON (resource_type, resource_id)
        account_id AS "accountId", resource_type AS type, resource_id AS id, trace_id AS "traceId"
      FROM again WHERE resource_type IS NOT NULL AND resource_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM requests o WHERE o.resource_type = again.resource_type AND o.resource_id = again.resource_id
          AND o.type = 'remove_leaked_resources' AND o.finished_at IS NULL)`;
    const requests = [];
    for (const { accountId, traceId, ...resource } of due)
      requests.push(
        await createRequest(tx, { type: "remove_leaked_resources", accountId, resource, input: {}, traceId }),
      );
    return requests;
  });
  jobs.add(...created);
}

/** The time from the `retries`-th removal of leaks to the next, as SQL. */
export function leakPause(retries: string): Prisma.Sql {
  return Prisma.sql`least(interval '1 day', make_interval(mins => ${FIRST_PAUSE_MINUTES}) * power(4, least(${Prisma.raw(retries)}, 8)))`;
}
