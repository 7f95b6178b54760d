import { describeVolume, hasSettings, latestModification, modifyVolume, settingsOf } from "../../aws/ec2/volume.js";
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
    modify: async ({ resourceId, input, db, cloud }) => {
      const id = Number(resourceId);
      const row = await db.volume.findUniqueOrThrow({ where: { id } });
      const { provisionedId, providerId, region, deletedAt } = row;
      if (!provisionedId || deletedAt) throw permanent("The volume does not exist in AWS");
      const scope = cloud({ providerId, region });
      const [volume, latest] = await Promise.all([
        scope.call(describeVolume(provisionedId)),
        scope.call(latestModification(provisionedId)),
      ]);
      if (!volume) throw notShown(provisionedId);
      const record = (data: typeof input) => db.volume.update({ where: { id }, data });
      if (hasSettings(volume, input)) {
        await record(input);
        return;
      }
      const isWanted = latest && hasSettings(latest.target, input);
      if (latest?.state === "modifying" || latest?.state === "optimizing") {
        if (!isWanted)
          throw poll("AWS to complete the volume's last change", { everySeconds: 60, limitMinutes: DAY_MINUTES });
        await record(input);
        throw poll("AWS to modify the volume");
      }
      // AWS had accepted this change: only then has the record the new values.
      if (latest?.state === "failed" && isWanted && hasSettings(row, input)) {
        await record(settingsOf(volume, input));
        throw permanent(`AWS could not modify the volume${latest.message ? `: ${latest.message}` : ""}`);
      }
      if ((input.sizeGb ?? volume.sizeGb) < volume.sizeGb)
        throw permanent(`The volume was given ${volume.sizeGb} GB outside of Gantry, and AWS never shrinks a volume`);
      if (await scope.call(modifyVolume(provisionedId, input))) await record(input);
      throw poll("AWS to modify the volume");
    },
  },
});
