import { v5 as uuidv5 } from "uuid";
import { denialOf } from "../../aws/aws-errors.js";
import { describeZones } from "../../aws/ec2/locations.js";
import { refreshOffers } from "../../offers/refresh-offers.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";

/**
 * Records the zones of a region and what AWS offers there; records a region that AWS denies to the provider as disabled, with
 * the reason.
 */
export const discoverProviderLocation = awsWorkflow({
  type: "discover_provider_location",
  stages: {
    persist: async ({ resourceId, db, cloud }) => {
      const region = await db.providerLocation.findUniqueOrThrow({ where: { id: resourceId } });
      const { id, providerId, locationId, disabledReason } = region;
      const scope = cloud({ providerId, region: locationId });
      try {
        await recordZones(db, region, await scope.call(describeZones));
      } catch (error) {
        const denial = denialOf(error);
        if (denial === undefined) throw error;
        const data = { disabledAt: new Date(), disabledReason: denial };
        await db.providerLocation.update({ where: { id }, data });
        return;
      }
      if (disabledReason !== null) await db.providerLocation.update({ where: { id }, data: ENABLED });
      await refreshOffers(db, region, (act) => scope.call(act));
    },
  },
});

const ENABLED = { disabledAt: null, disabledReason: null };

type Region = Awaited<ReturnType<AwsStageContext["db"]["providerLocation"]["findUniqueOrThrow"]>>;

/** Records zones, gives those that stand under another region to this one, and disables those that belong elsewhere. */
async function recordZones(
  db: AwsStageContext["db"],
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
