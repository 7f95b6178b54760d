import { Prisma, type Tx } from "@gantry/db";
import { modelOf, type ResourceType } from "@gantry/resources";
import type { CreatedRequest, CreateRequest } from "../http/plans/requested.js";
import { alreadyDeleted } from "../http/rows/live-rows.js";
import { assertNoUnfinishedRequest } from "./unfinished-requests.js";

interface DeletedRow {
  id: string | number;
  accountId: string;
}

/**
 * Creates the Request that removes what earlier Requests on a deleted record left in AWS. The caller holds a lock on
 * the record's row.
 *
 * @throws 409 if they left nothing, or the removal is under way
 */
export async function removeLeaksOf(
  db: Tx,
  createRequest: CreateRequest,
  type: ResourceType,
  { id, accountId }: DeletedRow,
): Promise<CreatedRequest<"remove_leaked_resources">> {
  const resource = { type, id: String(id) };
  const [leaking] = await db.$queryRaw<object[]>`
    SELECT 1 FROM requests r CROSS JOIN jsonb_array_elements(r.leaked_resources) leak
      LEFT JOIN cloud_objects c ON c.id = (leak->>'object')::uuid
    WHERE r.account_id = ${accountId}::uuid AND r.leaked_resources <> '[]'::jsonb
      AND (${isOn(Prisma.sql`r`, resource)} OR ${isOn(Prisma.sql`c`, resource)}) LIMIT 1`;
  if (!leaking) throw alreadyDeleted(modelOf(type), id);
  await assertNoUnfinishedRequest(["remove_leaked_resources"], db, type, id);
  return createRequest("remove_leaked_resources", { accountId, resource, input: {} });
}

function isOn(row: Prisma.Sql, { type, id }: { type: string; id: string }): Prisma.Sql {
  return Prisma.sql`(${row}.resource_type = ${type} AND ${row}.resource_id = ${id})`;
}
