import { Prisma, type Tx } from "@gantry/db";
import { collectionOf, dependentsOf, modelOf, nameOf, type ResourceType } from "@gantry/resources";
import { conflict } from "../http/errors/errors.js";
import { referenceTo, table } from "../http/rows/rows.js";

type Id = string | number;

const MAX_NAMED = 20;

/**
 * Requires that no other resource needs this one. The caller holds a lock on the resource's row, so that the answer
 * holds until the transaction ends.
 *
 * @throws 409 that names the dependents
 */
export async function assertNoDependents(db: Tx, type: ResourceType, id: Id): Promise<void> {
  const conditions = [
    ...dependentsOf(type).map((each) => [each, Prisma.sql`${referenceTo(type)} = ${id}`] as const),
    ...(type === "subnet" ? dependentsOfAllSubnets(id) : []),
  ];
  const queries = conditions.map(
    ([each, condition]) => Prisma.sql`(SELECT ${each} AS type, id::text FROM ${table(modelOf(each))}
      WHERE ${condition} AND deleted_at IS NULL ORDER BY created_at LIMIT ${MAX_NAMED})`,
  );
  const found = await db.$queryRaw<{ type: ResourceType; id: string }[]>(Prisma.join(queries, " UNION ALL "));
  if (found.length === 0) return;
  const named = found.slice(0, MAX_NAMED);
  const names = named.map((each) => `${nameOf(each.type)} ${each.id}`);
  const blocking = named.map((each) => `${collectionOf(each.type)}/${each.id}`);
  throw conflict(`${nameOf(type)} ${id} still contains: ${names.join(", ")}`, { blocking });
}

/** The resources that AWS spreads over all subnets of their network. */
function dependentsOfAllSubnets(subnetId: Id): [ResourceType, Prisma.Sql][] {
  const network = Prisma.sql`(SELECT network_id FROM subnets WHERE id = ${subnetId})`;
  const environments = Prisma.sql`(SELECT id FROM environments WHERE network_id = ${network})`;
  return [
    ["database_service", Prisma.sql`network_id = ${network}`],
    ["auto_scaling_group", Prisma.sql`environment_id IN ${environments}`],
  ];
}
