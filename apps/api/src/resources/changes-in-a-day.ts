import type { Tx } from "@gantry/db";
import { modelOf, nameOf, type RequestType, type ResourceType } from "@gantry/resources";
import { conflict } from "../http/errors/errors.js";

const DAY_MS = 24 * 60 * 60_000;
/**
 * The changes that AWS makes of one volume, and of one database's storage, in any 24 hours: ModifyVolume in the EC2 API reference
 * as botocore 1.44.5 has it, and "Modifying settings for General Purpose SSD (gp3) storage" in the RDS user guide, read in
 * November 2026.
 */
const MOST = 4;

/**
 * Call it with the record's row locked.
 *
 * @param isCounted returns whether AWS counts a change with this input; all by default
 * @throws 409 with the time of the next change, if AWS has made as many in the last 24 hours as it does
 */
export async function requireChangesLeft(
  db: Tx,
  { request, type, id, what }: { request: RequestType; type: ResourceType; id: string | number; what: string },
  isCounted: (input: object) => boolean = () => true,
): Promise<void> {
  const ended = { successful: true, finishedAt: { gt: new Date(Date.now() - DAY_MS) } };
  const changes = await db.request.findMany({
    where: { type: request, resourceType: type, resourceId: String(id), ...ended },
    orderBy: { finishedAt: "desc" },
  });
  const first = changes.filter(({ input }) => isCounted(input as object))[MOST - 1]?.finishedAt;
  if (!first) return;
  const next = new Date(first.getTime() + DAY_MS).toISOString();
  throw conflict(`AWS changes ${what} ${MOST} times in 24 hours; ${nameOf(type)} ${id} can change at ${next}`, {
    about: { model: modelOf(type), id },
  });
}
