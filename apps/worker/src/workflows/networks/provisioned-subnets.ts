import type { FencedDb } from "../../engine/fenced-db.js";

/** The AWS ids of a network's provisioned subnets, the oldest first; only the public or the private ones with `isPrivate`. */
export async function provisionedSubnetIds(
  db: FencedDb,
  networkId: string,
  { isPrivate }: { isPrivate?: boolean } = {},
): Promise<string[]> {
  const subnets = await db.subnet.findMany({
    where: {
      networkId,
      deletedAt: null,
      provisionedId: { not: null },
      ...(isPrivate !== undefined && { private: isPrivate }),
    },
    orderBy: { createdAt: "asc" },
  });
  return subnets.flatMap(({ provisionedId }) => provisionedId ?? []);
}
