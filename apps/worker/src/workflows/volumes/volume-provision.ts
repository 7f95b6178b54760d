import { describeVolume, volume } from "../../aws/ec2/volume.js";
import { permanent, poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Makes a disk that is attached to nothing yet. */
export const volumeProvision = awsWorkflow(
  "volume_provision",
  {
    create: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const row = await db.volume.findUniqueOrThrow({ where: { id } });
      const { providerId, region, location, sizeGb, volumeType, iops, encrypted, fromSnapshot } = row;
      const aws = cloud({ providerId, region });
      const provisionedId = await aws.ensure(volume, {
        zone: location,
        sizeGb,
        volumeType,
        encrypted,
        ...(iops !== null && { iops }),
        ...(fromSnapshot !== null && { snapshotId: fromSnapshot }),
      });
      const { state } = (await aws.call((ec2) => describeVolume(ec2, provisionedId))) ?? {};
      if (state === "error") throw permanent("AWS could not make the volume");
      if (state !== "available") throw poll("AWS to make the volume");
      await db.volume.update({ where: { id }, data: { provisionedId, state } });
    },
  },
  async ({ resourceId, db }) => {
    await db.volume.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date(), state: "deleted" } });
  },
);
