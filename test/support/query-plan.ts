import { type Db, Prisma } from "@gantry/db";

/** What PostgreSQL read of one table in one step of a statement. */
export interface Scan {
  table: string;
  rows: number;
}

interface Plan {
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Rows Removed by Filter"?: number;
  "Rows Removed by Index Recheck"?: number;
  Plans?: Plan[];
}

/** Runs a statement, and returns what each of its steps read of a table. */
export async function scansOf(db: Pick<Db, "$queryRaw">, statement: Prisma.Sql): Promise<Scan[]> {
  const [row] = await db.$queryRaw<{ "QUERY PLAN": [{ Plan: Plan }] }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, FORMAT JSON) ${statement}`,
  );
  return scansIn((row as { "QUERY PLAN": [{ Plan: Plan }] })["QUERY PLAN"][0].Plan);
}

function scansIn(plan: Plan): Scan[] {
  const { "Relation Name": table, "Actual Rows": kept, "Actual Loops": loops, Plans = [] } = plan;
  const removed = (plan["Rows Removed by Filter"] ?? 0) + (plan["Rows Removed by Index Recheck"] ?? 0);
  return [...(table ? [{ table, rows: (kept + removed) * loops }] : []), ...Plans.flatMap(scansIn)];
}
