import { Prisma } from "@gantry/db";
import { RUNNABLE } from "@gantry/requests";
import { notYet } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** Nothing was accepted for so long: a client that sends one call after the other has none to send next. */
const IDLE_SECONDS = 5;
/** After this time the work goes on in an installation that is never idle, a step at each attempt. */
const PATIENCE_MINUTES = 10;
const RETRY_SECONDS = 5;

/** Whether a Request `r` is one for which nobody waits, of the same type as `own`. */
const IS_PATIENT = Prisma.sql`(r.type = own.type AND r.parent_id IS NOT NULL)`;

/**
 * Lets a Request for which nobody waits go on only while nothing else is to do: no Request runs or is due, and none was
 * accepted just now. Of several that wait so, the one accepted first goes first.
 *
 * @throws NotYet otherwise
 */
export async function requireIdle(db: AwsStageContext["db"], requestId: string): Promise<void> {
  const [state] = await db.$queryRaw<{ mayGoOn: boolean }[]>`
    WITH own AS (SELECT seq, type, created_at FROM requests WHERE id = ${requestId}::uuid)
    SELECT
      NOT EXISTS (
        SELECT FROM requests r WHERE r.finished_at IS NULL AND r.lease_until >= now()
          AND ${IS_PATIENT} AND r.seq < own.seq)
      AND (own.created_at < now() - make_interval(mins => ${PATIENCE_MINUTES})
        OR NOT EXISTS (
            SELECT FROM requests r WHERE r.finished_at IS NULL AND r.lease_until >= now() AND NOT ${IS_PATIENT})
          AND NOT EXISTS (SELECT FROM requests r WHERE ${RUNNABLE} AND NOT ${IS_PATIENT})
          AND NOT EXISTS (
            SELECT FROM (SELECT r.created_at FROM requests r WHERE NOT ${IS_PATIENT} ORDER BY r.seq DESC LIMIT 1) newest
            WHERE newest.created_at > now() - make_interval(secs => ${IDLE_SECONDS})))
      AS "mayGoOn"
    FROM own`;
  if (!state?.mayGoOn)
    throw notYet("a time without other work", {
      retryInSeconds: RETRY_SECONDS,
      limitMinutes: Number.POSITIVE_INFINITY,
    });
}
