import type { Request, Tx } from "@gantry/db";
import { type ResourceType, resources } from "@gantry/requests";
import { conflict } from "../../http/errors.js";

/** The Requests on a resource that have not ended, oldest first. */
export function openRequestsOn(db: Tx, type: ResourceType, id: string | number): Promise<Request[]> {
  return db.request.findMany({
    where: { resourceType: type, resourceId: String(id), finishedAt: null },
    orderBy: { seq: "asc" },
  });
}

/**
 * Called with the resource's row locked, so that the answer holds until the transaction ends.
 *
 * @throws 409 that names the open Request of one of these types
 */
export async function assertNoOpenRequest(
  types: string[],
  db: Tx,
  type: ResourceType,
  id: string | number,
): Promise<void> {
  const open = (await openRequestsOn(db, type, id)).find((request) => types.includes(request.type));
  if (open) throw conflict(`the ${resources[type].name} ${id} has an open request: ${open.type} ${open.id}`);
}
