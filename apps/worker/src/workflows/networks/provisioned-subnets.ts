import type { FencedDb } from "../../engine/fenced-db.js";

/** The AWS ids of a network's provisioned subnets, the oldest first; those in `zones` where that is given. */
export async function provisionedSubnetIds(
  db: FencedDb,
  networkId: string,
  zones?: string[] | undefined,
): Promise<string[]> {
  const subnets = await db.subnet.findMany({
    where: { networkId, deletedAt: null, provisionedId: { not: null }, ...(zones && { location: { in: zones } }) },
    orderBy: { createdAt: "asc" },
  });
  return subnets.flatMap(({ provisionedId }) => provisionedId ?? []);
}
