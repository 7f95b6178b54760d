import { Prisma } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import type { TaggedObject } from "../aws/tagged-objects.js";

/** The table of the records of each kind of object, and its column with the id in AWS. */
const RECORDS: Readonly<Record<string, [table: string, column: string]>> = {
  address: ["addresses", "provisioned_id"],
  auto_scaling_group: ["auto_scaling_groups", "provisioned_id"],
  db_cluster: ["database_services", "cluster_id"],
  db_instance: ["database_servers", "provisioned_id"],
  instance: ["servers", "provisioned_id"],
  security_group: ["firewalls", "provisioned_id"],
  snapshot: ["snapshots", "provisioned_id"],
  subnet: ["subnets", "provisioned_id"],
  volume: ["volumes", "provisioned_id"],
  vpc: ["networks", "provisioned_id"],
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const uuidOrNull = (text: string | undefined) => (UUID.test(text ?? "") ? text : null);

/** The query for tagged objects: the ids that their tags name as columns, and for each the id of a finding. */
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

/** The sources that may name an object's owner. */
type OwnerSource = "ledger" | "record" | "request";

/**
 * The queries for the owners of an object `seen` of a kind; each has a row where the object has such an owner. An object
 * that AWS makes along with another, such as an instance's disk, carries the token of that one's ledger row and belongs
 * to it. A Request, or a ledger row, is an owner until `quietSeconds` after its end.
 */
export function ownershipQueries(
  kind: string,
  accountId: string,
  quietSeconds: number,
): Record<OwnerSource, Prisma.Sql> {
  const quietSince = Prisma.sql`now() - make_interval(secs => ${quietSeconds})`;
  const [table = "", column = ""] = RECORDS[kind] ?? [];
  return {
    ledger: Prisma.sql`
      SELECT 1 FROM cloud_objects c WHERE c.id = seen.token AND c.account_id = ${accountId}::uuid
        AND (c.removed_at IS NULL OR c.removed_at > ${quietSince})
        AND (c.kind <> ${kind} OR c.cloud_id IS NULL OR c.cloud_id = seen.cloud_id)
      UNION ALL
      SELECT 1 FROM cloud_objects c WHERE c.account_id = ${accountId}::uuid AND c.resource_type = seen.resource_type
        AND c.resource_id = seen.resource_id AND c.cloud_id = seen.cloud_id AND c.removed_at IS NULL`,
    record: Prisma.sql`
      SELECT 1 FROM ${Prisma.raw(table)} t WHERE t.account_id = ${accountId}::uuid
        AND ${Prisma.raw(`t.${column}`)} = seen.cloud_id AND t.deleted_at IS NULL`,
    request: Prisma.sql`
      SELECT 1 FROM requests r WHERE r.account_id = ${accountId}::uuid
        AND (r.id = seen.request OR (r.resource_type = seen.resource_type AND r.resource_id = seen.resource_id))
        AND (r.finished_at IS NULL OR r.finished_at > ${quietSince})`,
  };
}
