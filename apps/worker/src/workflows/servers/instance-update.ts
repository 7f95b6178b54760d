import { isDeepStrictEqual } from "node:util";
import type { Environment, Server } from "@gantry/db";
import type { InstanceState } from "../../aws/ec2/describe-instance.js";
import { rebootInstance, startInstance, stopInstance, tagInstance } from "../../aws/ec2/instance.js";
import { hasProfileName, setInstanceProfile, setSecurityGroups } from "../../aws/ec2/instance-settings.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { findInstance, recordInstance } from "./refresh-server.js";
import { instanceProfileOf, securityGroupsOf } from "./server-settings.js";

/** Applies a server's record to its instance, or starts, stops or reboots it, and records what AWS shows. */
export const instanceUpdate = awsWorkflow({
  type: "instance_update",
  stages: {
    update: async (context) => {
      const { resourceId, input, db, cloud } = context;
      const server = await db.server.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true },
      });
      const { provisionedId, providerId, region } = server;
      const found = await findInstance(context, server);
      if (!found || !provisionedId || server.deletedAt) throw permanent("The server does not exist in AWS");
      const scope = cloud({ providerId, region });
      if (input.action === "start") await reach("running", ["stopped"], () => scope.call(startInstance(provisionedId)));
      if (input.action === "stop") await reach("stopped", ["running"], () => scope.call(stopInstance(provisionedId)));
      if (input.action === "reboot") await scope.call(rebootInstance(provisionedId));
      await Promise.all([
        input.action === "apply" ? apply(context, server, provisionedId, found) : undefined,
        recordInstance(context, server, found),
      ]);

      async function reach(state: string, from: string[], change: () => Promise<void>): Promise<void> {
        if (found?.state === state) return;
        if (from.includes(found?.state ?? "")) await change();
        throw poll(`The instance to be ${state}`);
      }
    },
  },
});

async function apply(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  server: Server & { environment: Environment },
  instanceId: string,
  found: InstanceState,
): Promise<void> {
  const { id, accountId, providerId, region, environment, role, name } = server;
  const scope = cloud({ providerId, region });
  const [groups, profile] = await Promise.all([securityGroupsOf(db, server), instanceProfileOf(db, server)]);
  const tags = {
    "gantry:account": accountId,
    "gantry:resource": `server/${id}`,
    "gantry:environment": String(environment.id),
    "gantry:role": role,
    Name: `${environment.name} ${name ?? role} ${id}`,
  };
  const isInGroups = isDeepStrictEqual(new Set(found.securityGroupIds), new Set(groups));
  await Promise.all([
    scope.call(tagInstance(instanceId, tags)),
    isInGroups ? undefined : scope.call(setSecurityGroups(instanceId, groups)),
    hasProfileName(found.instanceProfileArn, profile) ? undefined : scope.call(setInstanceProfile(instanceId, profile)),
  ]);
}
