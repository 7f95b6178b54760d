import { type Db, Prisma } from "@gantry/db";

/** The time after which another worker continues the pass of one that has died. Longer than any pause of a pass. */
const LEASE_SECONDS = 120;
/** The time from the end of a pass to the start of the next, whichever worker runs it. */
const INTERVAL_MINUTES = 60;

const LEASE_END = Prisma.sql`now() + make_interval(secs => ${LEASE_SECONDS}::int)`;

/** A pass that this worker runs. Another worker that takes the pass over has a higher fence. */
export interface Pass {
  name: string;
  fence: number;
}

/** Claims a pass that is due and that no other worker runs. Returns undefined if there is none, without a wait. */
export async function claimPass(db: Pick<Db, "$queryRaw">, name: string): Promise<Pass | undefined> {
  const [pass] = await db.$queryRaw<Pass[]>`
    UPDATE retention_passes SET fence = fence + 1, lease_until = ${LEASE_END}, removed = 0, started_at = now(), finished_at = NULL
    WHERE name IN (
      SELECT name FROM retention_passes
      WHERE name = ${name} AND (lease_until IS NULL OR lease_until < now())
        AND (finished_at IS NULL OR finished_at < now() - make_interval(mins => ${INTERVAL_MINUTES}::int))
      FOR UPDATE SKIP LOCKED)
    RETURNING name, fence`;
  return pass;
}

/** The query that extends the lease of a pass and records its progress. It returns no row once another worker has it. */
export function holdPass({ name, fence }: Pass, removed: number): Prisma.Sql {
  return Prisma.sql`
    UPDATE retention_passes SET lease_until = ${LEASE_END}, removed = ${removed}::int
    WHERE name = ${name} AND fence = ${fence}::int RETURNING fence`;
}

/** Releases a pass. One that has not reached its end is due at once. */
export async function releasePass(
  db: Pick<Db, "$executeRaw">,
  { name, fence }: Pass,
  { removed, isComplete }: { removed: number; isComplete: boolean },
): Promise<void> {
  await db.$executeRaw`
    UPDATE retention_passes SET lease_until = NULL, removed = ${removed}::int,
      finished_at = CASE WHEN ${isComplete} THEN now() END
    WHERE name = ${name} AND fence = ${fence}::int`;
}
