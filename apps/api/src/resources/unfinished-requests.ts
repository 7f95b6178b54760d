import type { Request, Tx } from "@gantry/db";
import { modelOf, nameOf, type RequestType, type ResourceType } from "@gantry/resources";
import { conflict } from "../http/errors/errors.js";

/** The unfinished Requests on a resource, oldest first. */
export function unfinishedRequestsOn(db: Tx, type: ResourceType, id: string | number): Promise<Request[]> {
  return db.request.findMany({
    where: { resourceType: type, resourceId: String(id), finishedAt: null },
    orderBy: { seq: "asc" },
  });
}

/**
 * Requires that a resource has no unfinished Request of some types. The caller holds a lock on the resource's row, so
 * that the answer holds until the transaction ends.
 *
 * @throws 409 that names the unfinished Request
 */
export async function assertNoUnfinishedRequest(
  types: readonly RequestType[],
  db: Tx,
  type: ResourceType,
  id: string | number,
): Promise<void> {
  const unfinished = (await unfinishedRequestsOn(db, type, id)).find((request) =>
    (types as readonly string[]).includes(request.type),
  );
  if (unfinished)
    throw conflict(`${nameOf(type)} ${id} has an unfinished request: ${unfinished.type} ${unfinished.id}`, {
      about: { model: modelOf(type), id },
      blocking: [`requests/${unfinished.id}`],
    });
}
