import type { FencedDb } from "../../engine/fenced-db.js";

/**
 * The AWS ids of a network's provisioned subnets, the oldest first; only the public or the private ones with
 * `isPrivate`, and only those in `zones` if that is set.
 */
export async function provisionedSubnetIds(
  db: FencedDb,
  networkId: string,
  { isPrivate, zones }: { isPrivate?: boolean; zones?: string[] | undefined } = {},
): Promise<string[]> {
  const subnets = await db.subnet.findMany({
    where: {
      networkId,
      deletedAt: null,
      removalStartedAt: null,
      provisionedId: { not: null },
      ...(isPrivate !== undefined && { private: isPrivate }),
      ...(zones && { location: { in: zones } }),
    },
    orderBy: { createdAt: "asc" },
  });
  return subnets.flatMap(({ provisionedId }) => provisionedId ?? []);
}
