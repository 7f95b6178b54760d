import { describeInstance } from "../../aws/ec2/describe-instance.js";
import { instance } from "../../aws/ec2/instance.js";
import { notYet, permanent, poll } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";
import { makeVolume } from "../volumes/make-volume.js";
import { launchServer } from "./launch-server.js";
import { describeDisks, findInstance, isGone, writeServer } from "./refresh-server.js";
import { giveAddress, takeAddresses } from "./server-address.js";
import { giveVolume, isData, recordGiven, recordRoot } from "./server-volumes.js";

/** How long a server may take from when it runs until it reports that it is set up. */
const FIRST_BOOT_MINUTES = 45;

/** Makes a server: its environment's firewall, an instance, its volumes and its address; done when it says that it is. */
export const provisionServer = awsWorkflow(
  "provision_server",
  {
    "server.prepare": async ({ resourceId, db, children }) => {
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true },
      });
      const { id, environmentId, environment } = server;
      if (server.deletedAt || environment.deletedAt) throw permanent("The server or its environment was deleted");
      const firewall = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
      if (!firewall) throw permanent("The environment has no firewall");
      if (!firewall.provisionedId || !environment.keyPairName) {
        const resource = { type: "firewall", id: firewall.id } as const;
        await children.finish([{ type: "provision_default_firewall", resource, input: {} }]);
      }
      if (server.provisionedId === null && server.state === "pending") return;
      await db.server.update({ where: { id }, data: { state: "pending", provisionedId: null } });
    },

    "server.launch": async (context) => {
      const { resourceId, db, cloud } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true, volumes: { where: { deletedAt: null }, orderBy: { id: "asc" } } },
      });
      const { id, providerId, region } = server;
      const [provisionedId] = await Promise.all([
        server.provisionedId ?? launchServer(context, server),
        ...server.volumes.filter(isData).map((volume) => makeVolume(context, volume)),
      ]);
      const found = await cloud({ providerId, region }).call((aws) => describeInstance(aws, provisionedId));
      if (found && isGone(found)) throw permanent(`AWS ended the instance while it started (${found.reason})`);
      if (found?.state !== "running") {
        if (!server.provisionedId) await db.server.update({ where: { id }, data: { provisionedId } });
        throw poll("AWS to start the instance");
      }
      const { state, privateHostname, publicHostname } = found;
      const running = { provisionedId, provisionedAt: new Date(), state, privateHostname, publicHostname };
      await db.server.update({ where: { id }, data: running });
    },

    "server.attach": async (context) => {
      const { resourceId, input, db } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { volumes: { where: { deletedAt: null }, orderBy: { id: "asc" } } },
      });
      const { provisionedId: instanceId } = server;
      if (!instanceId) throw permanent("The server does not exist in AWS");
      const [given] = await Promise.all([
        Promise.all(server.volumes.filter(isData).map((volume) => giveVolume(context, volume, instanceId))),
        input.addressId === null ? undefined : giveAddress(context, server, input.addressId),
      ]);
      const found = await findInstance(context, server);
      if (!found) throw permanent("The instance was ended while it was set up");
      const disks = await describeDisks(context, server, found);
      await recordGiven(context, given, instanceId, disks);
      await Promise.all([recordRoot(context, server, found, disks), writeServer(context, server, found, disks)]);
    },

    "server.bootstrapped": async ({ request, db }) => {
      const { report } = await db.request.findUniqueOrThrow({ where: { id: request.id }, select: { report: true } });
      const { status, message } = (report ?? {}) as { status?: string; message?: string | null };
      if (status === "failed") {
        throw permanent(`The server could not be set up: ${message || "it did not say why"}`);
      }
      if (status !== "finished") {
        const options = { retryInSeconds: 60, limitMinutes: FIRST_BOOT_MINUTES };
        throw notYet("The server to report that it is set up", options);
      }
    },
  },
  async ({ resourceId, db }) => {
    const id = Number(resourceId);
    const deletedAt = new Date();
    await db.volume.updateMany({ where: { serverId: id, deletedAt: null }, data: { deletedAt, state: "deleted" } });
    await db.server.update({ where: { id }, data: { deletedAt, state: "terminated" } });
  },
  // What is attached to the instance is free only once that is gone, though it was made later.
  async (context) => {
    const { resourceId, input, db, cloud } = context;
    const server = await db.server.findUniqueOrThrow({ where: { id: Number(resourceId) } });
    const { providerId, region } = server;
    await takeAddresses(context, server, input.addressId);
    await cloud({ providerId, region }).removeAll(new Map([[instance.kind, instance]]));
  },
);
