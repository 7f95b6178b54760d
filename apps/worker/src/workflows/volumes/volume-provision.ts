import { describeVolume } from "../../aws/ec2/volume.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { ensureVolume } from "./ensure-volume.js";

/** Creates a volume, attached to no server. */
export const volumeProvision = awsWorkflow({
  type: "volume_provision",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const row = await db.volume.findUniqueOrThrow({ where: { id } });
      const { providerId, region } = row;
      const provisionedId = await ensureVolume({ cloud }, row);
      const { state } = (await cloud({ providerId, region }).call(describeVolume(provisionedId))) ?? {};
      if (!state) throw notShown(provisionedId);
      if (state === "error") throw permanent("AWS could not create the volume");
      if (state !== "available") throw poll("AWS to create the volume");
      await db.volume.update({ where: { id }, data: { provisionedId, state } });
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.volume.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date(), state: "deleted" } });
  },
});
