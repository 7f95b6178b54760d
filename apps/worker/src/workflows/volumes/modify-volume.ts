import { describeVolume, hasSettings, latestModification, modifyVolume } from "../../aws/ec2/volume.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";

const DAY_MINUTES = 1440;

/**
 * Gives a volume another size, type or speed, while it stays attached. The record changes when AWS has accepted the change,
 * which nothing stops from then on.
 */
export const modifyVolumeRequest = awsWorkflow({
  type: "modify_volume",
  stages: {
    modify: async ({ request, resourceId, input, db, cloud }) => {
      const id = Number(resourceId);
      const { provisionedId, providerId, region, deletedAt } = await db.volume.findUniqueOrThrow({ where: { id } });
      if (!provisionedId || deletedAt) throw permanent("The volume does not exist in AWS");
      const scope = cloud({ providerId, region });
      const [volume, latest] = await Promise.all([
        scope.call(describeVolume(provisionedId)),
        scope.call(latestModification(provisionedId)),
      ]);
      if (!volume) throw notShown(provisionedId);
      const isUnderWay = latest?.state === "modifying" || latest?.state === "optimizing";
      const isAccepted = isUnderWay && hasSettings(latest.target, input);
      if (isAccepted || hasSettings(volume, input)) await db.volume.update({ where: { id }, data: input });
      if (hasSettings(volume, input)) return;
      if (isAccepted) throw poll("AWS to modify the volume");
      if (isUnderWay)
        throw poll("AWS to complete the volume's last change", { everySeconds: 60, limitMinutes: DAY_MINUTES });
      const { createdAt } = await db.request.findUniqueOrThrow({ where: { id: request.id } });
      if (latest?.state === "failed" && hasSettings(latest.target, input) && latest.startedAt > createdAt)
        throw permanent(`AWS could not modify the volume${latest.message ? `: ${latest.message}` : ""}`);
      await scope.call(modifyVolume(provisionedId, input));
      throw poll("AWS to modify the volume");
    },
  },
});
