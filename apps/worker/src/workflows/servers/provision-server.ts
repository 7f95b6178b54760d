import type { Server } from "@gantry/db";
import { describeInstance, isTerminated } from "../../aws/ec2/describe-instance.js";
import { instance, isWithoutRoom } from "../../aws/ec2/instance.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { describeVolumes, recordInstance } from "../refresh-server.js";
import { ensureVolume, requireAttached } from "../volumes/ensure-volume.js";
import { awaitSetUp } from "./await-set-up.js";
import { launchServer } from "./launch-server.js";
import { leaveZone, moveServer } from "./move-server.js";
import { attachServerAddress, detachServerAddresses } from "./server-address.js";
import { attachServerVolume, isDataVolume, recordAttached, recordRootVolume, withVolumes } from "./server-volumes.js";

/** Creates a server: its environment's firewall, its instance, its volumes and its address, and waits until it is set up. */
export const provisionServer = awsWorkflow({
  type: "provision_server",
  stages: {
    "server.prepare": async (context) => {
      const { resourceId, input, db, children } = context;
      // Fails before anything is made if the server could not report.
      context.callback();
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true },
      });
      const { id, environmentId, environment } = server;
      if (server.deletedAt || environment.deletedAt) throw permanent("The server or its environment was deleted");
      if (environment.firewallId === null) {
        const firewall = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
        if (!firewall) throw permanent("The environment has no firewall");
        const resource = { type: "firewall", id: firewall.id } as const;
        await children.finish([{ type: "provision_default_firewall", resource, input: {} }]);
      }
      if (server.provisionedId === null && server.state === "pending") return;
      // An instance that an earlier Request left behind would report to that Request.
      await terminateInstance(context, server, input.addressId);
      await db.server.update({ where: { id }, data: { state: "pending", provisionedId: null } });
    },

    "server.launch": async (context) => {
      const { resourceId, db } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: {
          environment: { include: { account: true } },
          volumes: { where: { deletedAt: null }, orderBy: { id: "asc" } },
        },
      });
      await leaveZone(context, server);
      const launched = launchServer(context, server).catch((error) => {
        if (isWithoutRoom(error)) return moveServer(context, server, error);
        throw error;
      });
      const [ids] = await Promise.all([
        launched,
        ...server.volumes.filter(isDataVolume).map((volume) => ensureVolume(context, volume, server.environmentId)),
      ]);
      await db.server.update({ where: { id: server.id }, data: { ...ids, provisionedAt: new Date() } });
    },

    "server.attach": async (context) => {
      const { resourceId, input, db, cloud } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { volumes: { where: { deletedAt: null }, orderBy: { id: "asc" } } },
      });
      const { provisionedId: instanceId, environmentId, providerId, region } = server;
      if (!instanceId) throw permanent("The server does not exist in AWS");
      const describe = () => cloud({ providerId, region }).call(describeInstance(instanceId));
      const found = await describe();
      if (!found) throw notShown(instanceId);
      if (isTerminated(found)) throw permanent(`AWS ended the instance while it started (${found.reason})`);
      if (found.state !== "running") throw poll("AWS to start the instance");
      const [attached] = await Promise.all([
        Promise.all(
          server.volumes
            .filter(isDataVolume)
            .map((volume) => attachServerVolume(context, volume, { instanceId, environmentId })),
        ),
        input.addressId === null ? undefined : attachServerAddress(context, server, input.addressId),
      ]);
      // An attached address changes the instance's hostname.
      const current = input.addressId === null ? found : ((await describe()) ?? found);
      const complete = withVolumes(current, attached);
      const volumeStates = await describeVolumes(context, server, complete);
      for (const { volumeId } of attached) requireAttached(volumeStates.get(volumeId), instanceId);
      await Promise.all([
        recordAttached(context, attached),
        recordRootVolume(context, server, complete, volumeStates),
        recordInstance(context, server, complete, volumeStates),
      ]);
    },

    "server.bootstrapped": awaitSetUp,
  },
  discard: async ({ resourceId, db }) => {
    const id = Number(resourceId);
    const deletedAt = new Date();
    await db.volume.updateMany({ where: { serverId: id, deletedAt: null }, data: { deletedAt, state: "deleted" } });
    await db.server.update({ where: { id }, data: { deletedAt, state: "terminated" } });
  },
  undo: async (context) => {
    const { resourceId, input, db } = context;
    const server = await db.server.findUniqueOrThrow({ where: { id: Number(resourceId) } });
    await terminateInstance(context, server, input.addressId);
  },
});

// The ledger removes the newest objects first, but volumes are free only once their instance is terminated.
async function terminateInstance(
  context: Pick<AwsStageContext, "db" | "cloud">,
  server: Server,
  requestedAddressId: number | null,
): Promise<void> {
  const { providerId, region } = server;
  await detachServerAddresses(context, server, requestedAddressId);
  await context.cloud({ providerId, region }).removeOf(instance);
}
