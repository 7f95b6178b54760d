import { Prisma } from "@gantry/db";

/** The condition under which a Request is due and no worker holds it, as SQL on `requests r`. */
const DUE = Prisma.sql`
  r.finished_at IS NULL AND r.next_run_at <= now() AND (r.lease_until IS NULL OR r.lease_until < now())`;

/** The condition under which a Request may be run: it is due, and nothing earlier on its resource is unfinished. */
export const RUNNABLE = Prisma.sql`
  ${DUE} AND (r.started_at IS NOT NULL OR NOT EXISTS (
    SELECT 1 FROM requests earlier
    WHERE earlier.queue_key = r.queue_key AND earlier.finished_at IS NULL AND earlier.id <> r.id
      AND (earlier.seq < r.seq OR earlier.started_at IS NOT NULL)))`;
