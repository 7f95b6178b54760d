import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";
import { DETACHED } from "../volumes/ensure-volume.js";
import { detachServerAddresses } from "./server-address.js";

/** Removes a server and the volumes that were created with it. Its address, and volumes that were attached later, stay. */
export const deprovisionServer = awsWorkflow({
  type: "deprovision_server",
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
      const independent = new Set(await createdByOtherRequests(volumes.map((volume) => String(volume.id))));
      for (const volume of volumes) {
        if (independent.has(String(volume.id))) {
          await db.volume.update({ where: { id: volume.id }, data: DETACHED });
          continue;
        }
        await cloud({ providerId, region, owner: { type: "volume", id: String(volume.id) } }).removeAll(kinds);
        await db.volume.update({ where: { id: volume.id }, data: { deletedAt: new Date(), state: "deleted" } });
      }

      /** The volumes that were created by Requests of other resources. */
      async function createdByOtherRequests(volumeIds: string[]): Promise<string[]> {
        const objects = await db.cloudObject.findMany({
          where: {
            resourceType: "volume",
            resourceId: { in: volumeIds },
            removedAt: null,
            NOT: { request: { resourceType: "server", resourceId } },
          },
          select: { resourceId: true },
        });
        return objects.map((object) => object.resourceId);
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
