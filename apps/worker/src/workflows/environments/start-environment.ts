import { permanent } from "../../engine/signals.js";
import { awsWorkflow } from "../aws-workflow.js";
import { removeFirewall } from "./remove-firewall.js";

// AWS's limit for one volume of the kind that takes IOPS.
const MOST_IOPS = 4000;

/** Boots an environment: its firewall, then all of its servers at once, then an update of each. */
export const startEnvironment = awsWorkflow(
  "start_environment",
  {
    start: async ({ resourceId, input, db, children }) => {
      const { serverIds, addressId } = input;
      const volumes = await db.volume.findMany({ where: { serverId: { in: serverIds } }, orderBy: { id: "asc" } });
      const tooFast = volumes.find(({ iops }) => iops !== null && iops > MOST_IOPS);
      if (tooFast) {
        throw permanent(`Volume IOPS limit exceeded: the maximum is ${MOST_IOPS}, and ${tooFast.iops} was asked for`);
      }
      const firewall = await db.firewall.findFirstOrThrow({
        where: { environmentId: Number(resourceId), deletedAt: null },
      });
      await children.finish([
        { type: "provision_default_firewall", resource: { type: "firewall", id: firewall.id }, input: {} },
      ]);
      await children.finish(
        serverIds.map((id, i) => ({
          type: "provision_server" as const,
          resource: { type: "server" as const, id },
          input: { addressId: i === 0 ? addressId : null },
        })),
      );
    },
    "wait-for-instance-updates": async ({ input, children }) => {
      await children.finish(
        input.serverIds.map((id) => ({
          type: "instance_update" as const,
          resource: { type: "server" as const, id },
          input: { action: "apply" as const },
        })),
      );
    },
  },
  async ({ input, db }) => {
    const deletedAt = new Date();
    const { serverIds } = input;
    await db.volume.updateMany({ where: { serverId: { in: serverIds }, deletedAt: null }, data: { deletedAt } });
    await db.server.updateMany({
      where: { id: { in: serverIds }, deletedAt: null },
      data: { deletedAt, state: "terminated" },
    });
  },
  async ({ resourceId, input, db, cloud, children }) => {
    const made = await db.server.findMany({
      where: { id: { in: input.serverIds }, deletedAt: null, provisionedId: { not: null } },
    });
    await children.finish(
      made.map(({ id }) => ({
        type: "deprovision_server" as const,
        resource: { type: "server" as const, id },
        input: {},
      })),
    );
    const environmentId = Number(resourceId);
    const others = { environmentId, deletedAt: null, id: { notIn: input.serverIds } };
    if ((await db.server.count({ where: others })) === 0) await removeFirewall({ db, cloud }, environmentId);
  },
);
