import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { DETACHED } from "../volumes/ensure-volume.js";
import { objectOwnersOf } from "./object-owners.js";
import { detachServerAddresses } from "./server-address.js";
import { independentVolumes } from "./server-volumes.js";

/** Removes a server and the volumes that were created with it. Its address, and volumes that were attached later, stay. */
export const deprovisionServer = awsWorkflow({
  type: "deprovision_server",
  removesObjectsOf: ({ db, resourceId }) => objectOwnersOf(db, [{ id: Number(resourceId) }]),
  stages: {
    "server.release": async (context) => {
      const server = await context.db.server.findUniqueOrThrow({ where: { id: Number(context.resourceId) } });
      await detachServerAddresses(context, server, null);
    },

    "server.terminate": async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { providerId, region } = await db.server.findUniqueOrThrow({ where: { id } });
      await cloud({ providerId, region }).removeAll(kinds);
      const volumes = await db.volume.findMany({ where: { serverId: id, deletedAt: null } });
      const independent = await independentVolumes(db, volumes);
      for (const volume of volumes) {
        if (independent.has(volume.id)) {
          await db.volume.update({ where: { id: volume.id }, data: DETACHED });
          continue;
        }
        await cloud({ providerId, region, owner: { type: "volume", id: String(volume.id) } }).removeAll(kinds);
        await db.volume.update({ where: { id: volume.id }, data: { deletedAt: new Date(), state: "deleted" } });
      }
    },

    "alerts.finish": async ({ resourceId, db }) => {
      const id = Number(resourceId);
      const now = new Date();
      await db.alert.updateMany({ where: { serverId: id, finishedAt: null }, data: { finishedAt: now } });
      const { deletedAt } = await db.server.findUniqueOrThrow({ where: { id } });
      if (deletedAt) return;
      await db.server.update({
        where: { id },
        data: { deletedAt: now, deprovisionedAt: now, state: "terminated" },
      });
    },
  },
});
