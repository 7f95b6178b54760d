import { describeVolume, hasSettings, latestModification, modifyVolume, settingsOf } from "../../aws/ec2/volume.js";
import { addMessage } from "../../engine/request-message.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { describeVolumes, findInstance, recordInstance } from "../refresh-server.js";

const DAY_MINUTES = 1440;
const GROWTH_MINUTES = 10;
/** The time in which each running server reports that it fills its disks; one that cannot never does. */
const REPORT_MINUTES = 3;

/**
 * Gives a volume another size, type or speed, while it stays attached, and waits until its server has let the file system fill
 * it. The record changes when AWS has accepted the change, which nothing stops from then on.
 */
export const modifyVolumeRequest = awsWorkflow({
  type: "modify_volume",
  stages: {
    modify: async (context) => {
      const { resourceId, input, db, cloud } = context;
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
        return recordDevices(context, row.serverId);
      }
      const isWanted = latest && hasSettings(latest.target, input);
      if (latest?.state === "modifying" || latest?.state === "optimizing") {
        if (!isWanted)
          throw poll("AWS to complete the volume's last change", { everySeconds: 60, limitMinutes: DAY_MINUTES });
        await record(input);
        throw poll("AWS to modify the volume");
      }
      // The record has the new values only if AWS had accepted this change.
      if (latest?.state === "failed" && isWanted && hasSettings(row, input)) {
        await record(settingsOf(volume, input));
        throw permanent(`AWS could not modify the volume${latest.message ? `: ${latest.message}` : ""}`);
      }
      if ((input.sizeGb ?? volume.sizeGb) < volume.sizeGb)
        throw permanent(`The volume was given ${volume.sizeGb} GB outside of Gantry, and AWS never shrinks a volume`);
      if (await scope.call(modifyVolume(provisionedId, input))) await record(input);
      throw poll("AWS to modify the volume");
    },

    "grow-file-system": async (context) => {
      const { resourceId, input, db, minutesInStage } = context;
      const { server, sizeGb, fileSystemGb, mount } = await db.volume.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { server: true },
      });
      if (!server || input.sizeGb === undefined) return;
      const name = `server ${server.id}`;
      const isRunning = server.state === "running";
      if (fileSystemGb === null) {
        if (isRunning && mount !== null && minutesInStage() < REPORT_MINUTES)
          throw poll(`${name} to report which of its disks it fills`);
        const message = `Gantry does not know the file system of the volume: grow it to the ${sizeGb} GB on ${name}, with growpart and then resize2fs or xfs_growfs`;
        return addMessage(context, message);
      }
      if (fileSystemGb >= sizeGb) return;
      if (!isRunning)
        return addMessage(context, `The file system at ${mount} fills the ${sizeGb} GB once ${name} runs again`);
      throw poll(`${name} to let the file system at ${mount} fill the ${sizeGb} GB, which it does every minute`, {
        limitMinutes: GROWTH_MINUTES,
      });
    },
  },
});

/** The sizes of a server's devices stand in its record too. */
async function recordDevices(context: Pick<AwsStageContext, "db" | "cloud">, serverId: number | null): Promise<void> {
  const server = serverId === null ? null : await context.db.server.findUnique({ where: { id: serverId } });
  const found = server && (await findInstance(context, server));
  if (server && found) await recordInstance(context, server, found, await describeVolumes(context, server, found));
}
