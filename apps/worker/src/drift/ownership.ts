import { Prisma, tableOf } from "@gantry/db";
import { cloudObjectsOf, modelOf, resourceTypes } from "@gantry/resources";
import { validate as isUuid, v7 as uuidv7 } from "uuid";
import type { TaggedObject } from "../aws/tagged-objects.js";

interface RecordColumn {
  table: Prisma.Sql;
  column: Prisma.Sql;
}

/** The column of the id in AWS, by kind of cloud object, if records represent objects of the kind. */
const recordColumns: ReadonlyMap<string, RecordColumn> = new Map(
  resourceTypes.flatMap((type) => {
    const table = Prisma.raw(tableOf(modelOf(type)));
    return cloudObjectsOf(type).flatMap(({ kinds, column }) =>
      kinds.map((kind) => [kind, { table, column: Prisma.raw(`t."${column}"`) }] as const),
    );
  }),
);

const uuidOrNull = (text: string | undefined) => (isUuid(text) ? text : null);

/** The query for tagged objects, with the owners that their tags name and a new finding's id for each. */
export function taggedObjectRows(objects: TaggedObject[]): Prisma.Sql {
  const rows = objects.map(({ id, tags }) => {
    const [type, resourceId] = (tags["gantry:resource"] ?? "").split("/");
    return {
      id: uuidv7(),
      cloud_id: id,
      token: uuidOrNull(tags["gantry:token"]),
      request: uuidOrNull(tags["gantry:request"]),
      resource_type: type,
      resource_id: resourceId,
      tags,
    };
  });
  return Prisma.sql`SELECT * FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS s(
    id uuid, cloud_id text, token uuid, request uuid, resource_type text, resource_id text, tags jsonb)`;
}

/** A source that may name the owner of an object in AWS. */
type OwnerSource = "ledger" | "record" | "request";

/**
 * The queries for the owners of an object `seen` of a kind; a query returns no row if its source knows no owner.
 *
 * An object that AWS created along with another one, such as an instance's disk, has the other one's token and has its
 * owner in the ledger. A token counts in the ledger of any account: in the AWS account of a shared provider a tag that
 * was changed by hand must not turn another account's object into an orphan. A Request remains the owner for
 * `quietSeconds` after its end.
 */
export function ownershipQueries(
  kind: string,
  accountId: string,
  quietSeconds: number,
): Record<OwnerSource, Prisma.Sql> {
  const quietSince = Prisma.sql`now() - make_interval(secs => ${quietSeconds})`;
  const record = recordColumns.get(kind);
  if (!record) throw new Error(`No resource of the catalogue represents objects of the kind ${kind}`);
  return {
    ledger: Prisma.sql`
      SELECT 1 FROM cloud_objects c WHERE c.id = seen.token
        AND (c.removed_at IS NULL OR c.removed_at > ${quietSince})
        AND (c.kind <> ${kind} OR c.cloud_id IS NULL OR c.cloud_id = seen.cloud_id)
      UNION ALL
      SELECT 1 FROM cloud_objects c WHERE c.account_id = ${accountId}::uuid AND c.resource_type = seen.resource_type
        AND c.resource_id = seen.resource_id AND c.cloud_id = seen.cloud_id AND c.removed_at IS NULL`,
    record: Prisma.sql`
      SELECT 1 FROM ${record.table} t WHERE t.account_id = ${accountId}::uuid
        AND ${record.column} = seen.cloud_id AND t.deleted_at IS NULL`,
    request: Prisma.sql`
      SELECT 1 FROM requests r WHERE r.account_id = ${accountId}::uuid
        AND (r.id = seen.request OR (r.resource_type = seen.resource_type AND r.resource_id = seen.resource_id))
        AND (r.finished_at IS NULL OR r.finished_at > ${quietSince})`,
  };
}
