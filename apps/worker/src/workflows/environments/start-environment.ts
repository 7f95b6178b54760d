import { exceededBootIops } from "@gantry/aws-facts";
import type { InputOf } from "@gantry/resources";
import type { Child } from "../../engine/children.js";
import { childForEach } from "../../engine/children.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { removeFirewall } from "./remove-firewall.js";

type Input = InputOf<"start_environment">;

const onServer = (id: number) => ({ type: "server" as const, id });

function serverRequests({ serverIds, addressId }: Input): Child[] {
  return serverIds.map((id, i) => ({
    type: "provision_server",
    resource: onServer(id),
    input: { addressId: i === 0 ? addressId : null },
  }));
}

function updateRequests({ serverIds }: Input): Child[] {
  return serverIds.map((id) => ({ type: "instance_update", resource: onServer(id), input: { action: "apply" } }));
}

/** Boots an environment: its firewall, then all of its servers in parallel, and an update of each afterwards. */
export const startEnvironment = awsWorkflow({
  type: "start_environment",
  stages: {
    start: async ({ resourceId, input, db, children }) => {
      const volumes = await db.volume.findMany({
        where: { serverId: { in: input.serverIds } },
        orderBy: { id: "asc" },
      });
      const exceeded = exceededBootIops(volumes);
      if (exceeded) throw permanent(exceeded);
      const firewall = await db.firewall.findFirstOrThrow({
        where: { environmentId: Number(resourceId), deletedAt: null },
      });
      await children.finish([
        { type: "provision_default_firewall", resource: { type: "firewall", id: firewall.id }, input: {} },
      ]);
      // The updates queue behind the provisions of their servers.
      await children.create([...serverRequests(input), ...updateRequests(input)]);
      await children.finish(serverRequests(input));
    },
    "wait-for-instance-updates": ({ input, children }) => children.finish(updateRequests(input)),
  },
  discard: async ({ input, db }) => {
    const deletedAt = new Date();
    const { serverIds } = input;
    await db.volume.updateMany({ where: { serverId: { in: serverIds }, deletedAt: null }, data: { deletedAt } });
    await db.server.updateMany({
      where: { id: { in: serverIds }, deletedAt: null },
      data: { deletedAt, state: "terminated" },
    });
  },
  undo: async ({ resourceId, input, db, cloud, children }) => {
    const servers = await db.server.findMany({
      where: { id: { in: input.serverIds }, deletedAt: null, provisionedId: { not: null } },
    });
    await children.finish(childForEach("deprovision_server", "server", servers));
    const environmentId = Number(resourceId);
    const others = { environmentId, deletedAt: null, id: { notIn: input.serverIds } };
    if ((await db.server.count({ where: others })) === 0) await removeFirewall({ db, cloud }, environmentId);
  },
});
