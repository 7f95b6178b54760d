import { Prisma } from "@gantry/db";

/** The first event for which a webhook `w` has no delivery yet, as SQL: its `position` and `created_at`. */
export const NEXT_EVENT = Prisma.sql`
  SELECT e.position, e.created_at FROM events e
  WHERE e.account_id = w.account_id AND (e.position, e.seq) > (w.position, w.seq) ORDER BY e.position, e.seq LIMIT 1`;
