import { type Db, Prisma, tableOf } from "@gantry/db";
import { cloudObjectsOf, modelOf, type ResourceType, resourceTypes } from "@gantry/resources";

/** Resources whose records keep another id than the ledger, or none while their parent is deprovisioned. */
const NOT_COMPARED: readonly ResourceType[] = ["iam_role", "firewall", "firewall_rule"];

// A server's first volumes are created with its instance, which is in the ledger in their place.
const WITHOUT_LEDGER_ROW: Partial<Record<ResourceType, string>> = { volume: "server_id IS NOT NULL" };

/** Cloud objects of the ledger that no record represents, of one account or of all. No Request may be running. */
export async function unrecorded(db: Db, accountId?: string): Promise<string[]> {
  const { objects } = await differences(db, accountId);
  return objects.map(([kind, id]) => `${kind} ${id} is on no record`);
}

/** Records whose cloud object is removed, or missing, in the ledger. No Request may be running. */
export async function unfounded(db: Db): Promise<string[]> {
  const { records } = await differences(db);
  return records.map(([kind, id]) => `${kind} ${id} is on record, and gone`);
}

type Named = [kind: string, id: string];

async function differences(db: Db, accountId?: string): Promise<{ objects: Named[]; records: Named[] }> {
  const scope = accountId ? Prisma.sql`account_id = ${accountId}::uuid` : Prisma.sql`true`;
  const [objects, records]: [Named[], Named[]] = [[], []];
  const compared = resourceTypes.filter((each) => !NOT_COMPARED.includes(each));
  for (const [type, cloudObject] of compared.flatMap((type) =>
    cloudObjectsOf(type).map((each) => [type, each] as const),
  )) {
    const rows = await db.$queryRaw<{ object: string | null; kind: string; record: string | null }[]>`
      WITH objects AS (
        SELECT kind, cloud_id AS id FROM cloud_objects
        WHERE kind = ANY(${cloudObject.kinds}) AND removed_at IS NULL AND ${scope}),
      records AS (
        SELECT ${Prisma.raw(cloudObject.column)} AS id, ${Prisma.raw(WITHOUT_LEDGER_ROW[type] ?? "false")} AS exempt
        FROM ${Prisma.raw(tableOf(modelOf(type)))}
        WHERE deleted_at IS NULL AND ${Prisma.raw(cloudObject.column)} IS NOT NULL AND ${scope})
      SELECT objects.id AS object, objects.kind, records.id AS record FROM objects FULL JOIN records USING (id)
      WHERE (objects.id IS NULL AND NOT exempt) OR records.id IS NULL`;
    for (const { object, kind, record } of rows) {
      if (object) objects.push([kind, object]);
      else if (record) records.push([type, record]);
    }
  }
  return { objects, records };
}
