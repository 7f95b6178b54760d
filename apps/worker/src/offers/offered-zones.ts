import type { ComputeOffers } from "@gantry/aws-facts";
import type { OfferList } from "@gantry/db";
import type { FencedDb } from "../engine/fenced-db.js";

/** The zones of a region that offer a flavor, or undefined if AWS has not been asked yet. */
export async function zonesOffering(
  db: FencedDb,
  { providerId, region }: { providerId: number; region: string },
  flavor: string,
): Promise<string[] | undefined> {
  const location = { providerId, locationId: region };
  const list: Pick<OfferList, "compute"> | null = await db.offerList.findFirst({ where: { location } });
  return list?.compute ? ((list.compute as ComputeOffers)[flavor] ?? []) : undefined;
}
