import { REGION_NAMES } from "@gantry/aws-facts";
import pLimit from "p-limit";
import { v5 as uuidv5 } from "uuid";
import { denialOf } from "../../aws/aws-errors.js";
import { awsRegionName, describeRegions, describeZones } from "../../aws/ec2/locations.js";
import { permanent } from "../../engine/stage-errors.js";
import { offersAgeLimit, refreshOffers } from "../../offers/refresh-offers.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { homeRegionOf } from "./home-region.js";

const PROVIDER_LOCATIONS = "a1d0b3f6-6d53-4c5a-9d3b-0a3f3c9f7e51";
const ENABLED = { disabledAt: null, disabledReason: null };

type Db = AwsStageContext["db"];

/** A region of a provider, as it is on record. */
export type Region = Awaited<ReturnType<Db["providerLocation"]["findUniqueOrThrow"]>>;

/** The most regions that are asked at once. */
const REGIONS_AT_ONCE = 8;

/**
 * Records the regions and zones of a new provider and the offers of its home region, and creates the Request that
 * discovers all offers. That takes longer, and no user has to wait for it.
 *
 * @throws a permanent failure if AWS denies every region
 */
export async function beginDiscovery(context: AwsStageContext): Promise<void> {
  const { resourceId, db, children } = context;
  const providerId = Number(resourceId);
  await recordRegions(context, providerId);
  const regions = await regionsToTry(db, providerId);
  const since = offersAgeLimit();
  await pLimit(REGIONS_AT_ONCE).map(regions, async (region, order) => {
    await (order === 0 ? recordZonesAndOffers(context, region, since) : recordZones(context, region));
  });
  await requireOneRegion(db, providerId);
  await children.create([
    { type: "discover_provider_locations", resource: { type: "provider", id: resourceId }, input: {} },
  ]);
}

/** Records the regions of a provider. */
export async function recordRegions({ request, db, cloud }: AwsStageContext, providerId: number): Promise<void> {
  const region = await homeRegionOf(db, providerId);
  const regions = await cloud({ providerId, region }).call(describeRegions);
  const rows = regions.map((locationId) => ({
    id: uuidv5(`${providerId}/${locationId}`, PROVIDER_LOCATIONS),
    accountId: request.accountId,
    providerId,
    locationId,
    locationName: REGION_NAMES.get(locationId) ?? awsRegionName(locationId),
    serverLimit: 20,
    addressLimit: 5,
  }));
  await db.providerLocation.createMany({ data: rows, skipDuplicates: true });
}

/** The regions that a discovery tries, the home region first: one that AWS denied is tried again, one that the operator disabled is not. */
export async function regionsToTry(db: Db, providerId: number): Promise<Region[]> {
  const home = await homeRegionOf(db, providerId);
  // One that the operator disabled has no reason on record.
  const isTried = { OR: [{ disabledAt: null }, { disabledReason: { not: null } }] };
  const regions = await db.providerLocation.findMany({
    where: { providerId, parentId: null, ...isTried },
    orderBy: { locationId: "asc" },
  });
  return regions.sort((one, other) => Number(other.locationId === home) - Number(one.locationId === home));
}

/**
 * Records the zones of a region, or the region as disabled if AWS denies it to the provider; an organization may deny some.
 *
 * @returns false if AWS denies the region
 */
async function recordZones({ db, cloud }: AwsStageContext, region: Region): Promise<boolean> {
  const { id, providerId, locationId, disabledReason } = region;
  let zones: string[];
  try {
    zones = await cloud({ providerId, region: locationId }).call(describeZones);
  } catch (error) {
    const denial = denialOf(error);
    if (denial === undefined) throw error;
    const data = { disabledAt: new Date(), disabledReason: denial };
    await db.providerLocation.update({ where: { id }, data });
    return false;
  }
  await assignZones(db, region, zones);
  if (disabledReason !== null) await db.providerLocation.update({ where: { id }, data: ENABLED });
  return true;
}

/**
 * Records the zones of a region and what AWS offers there, or the region as disabled if AWS denies it.
 *
 * @param since offers that another provider has read since then are used
 */
export async function recordZonesAndOffers(context: AwsStageContext, region: Region, since: Date): Promise<void> {
  const scope = context.cloud({ providerId: region.providerId, region: region.locationId });
  if (await recordZones(context, region)) await refreshOffers(context.db, region, since, (act) => scope.call(act));
}

/** @throws a permanent failure if AWS denies every region that was tried */
export async function requireOneRegion(db: Db, providerId: number): Promise<void> {
  const tried = await regionsToTry(db, providerId);
  const [denied] = tried;
  if (denied && tried.every(({ disabledAt }) => disabledAt))
    throw permanent(`AWS denies every region to the provider. ${denied.locationId}: ${denied.disabledReason}`);
}

/**
 * Records zones, moves those that are recorded under another region to this one, and disables those that belong
 * elsewhere.
 */
async function assignZones(
  db: Db,
  { id: parentId, accountId, providerId, locationId: region, vpcByDefault }: Region,
  zones: string[],
): Promise<void> {
  const common = { accountId, providerId, parentId, vpcByDefault };
  await db.providerLocation.createMany({
    data: zones.map((zone) => ({ ...common, id: uuidv5(zone, parentId), locationId: zone, locationName: zone })),
    skipDuplicates: true,
  });
  const isWrong = [{ parentId: { not: parentId } }, { disabledReason: { not: null } }];
  await db.providerLocation.updateMany({
    where: { providerId, locationId: { in: zones }, OR: isWrong },
    data: { parentId, ...ENABLED },
  });
  await db.providerLocation.updateMany({
    where: { parentId, NOT: { locationId: { startsWith: region } } },
    data: { disabledAt: new Date(), disabledReason: `The zone does not belong to ${region}` },
  });
}
