import { autoScalingGroup, desiredCapacity, resize, suspendReplacement } from "../../aws/auto-scaling/group.js";
import { attachInstance, describeMembership, protectInstance } from "../../aws/auto-scaling/members.js";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { launchTemplate } from "../../aws/ec2/launch-template.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { zonesOffering } from "../../offers/offered-zones.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { provisionedSubnetIds } from "../networks/provisioned-subnets.js";
import { awaitMembers } from "./await-members.js";
import { groupLaunch } from "./group-launch.js";
import { unlinkGroup } from "./unlink-group.js";

/**
 * Creates an empty group, attaches the environment's app master and protects it: the group neither replaces it nor ends it
 * when it shrinks. Only then does the group get its sizes and launch other instances, for which the Request waits.
 */
export const provisionAutoScalingGroup = awsWorkflow({
  type: "provision_auto_scaling_group",
  stages: {
    create: async (context) => {
      const { resourceId, input, db, cloud } = context;
      const group = await db.autoScalingGroup.findUniqueOrThrow({
        where: { id: resourceId },
        include: { environment: { include: { account: true } } },
      });
      const { environment, maximumSize, providerId, region } = group;
      const appMaster = await db.server.findUniqueOrThrow({ where: { id: input.serverId }, include: { subnet: true } });
      const { flavor } = appMaster;
      const { networkId } = environment;
      const isPrivate = appMaster.subnet?.private ?? false;
      const scope = cloud({ providerId, region, environmentId: environment.id });
      const zones = await zonesOffering(db, { providerId, region }, flavor);
      const [params, subnetIds] = await Promise.all([
        groupLaunch(context, { scope, environment, appMaster, like: appMaster }),
        networkId ? provisionedSubnetIds(db, networkId, { isPrivate, zones }) : scope.call(defaultSubnets({ zones })),
      ]);
      if (subnetIds.length === 0) {
        const network = networkId ? "environment's network" : "default network";
        const offered = zones ? ` in a zone that offers ${flavor} (${zones.join(", ") || "no zone does"})` : "";
        throw permanent(`The ${network} has no ${isPrivate ? "private" : "public"} subnet${offered}`);
      }
      const launchTemplateId = await scope.ensure(launchTemplate, params);
      const provisionedId = await scope.ensure(autoScalingGroup, { launchTemplateId, subnetIds, maximumSize });
      await db.autoScalingGroup.update({ where: { id: group.id }, data: { provisionedId, flavor } });
    },

    "attach-app-master": async ({ resourceId, input, db, cloud }) => {
      const { location, name, instanceId } = await findMembers(db, resourceId, input.serverId);
      const scope = cloud(location);
      const joined = await scope.call(describeMembership(instanceId));
      if (joined && joined.group !== name) throw permanent("The app master belongs to another auto scaling group");
      if (!joined) {
        await scope.call(suspendReplacement(name));
        await scope.call(attachInstance(name, instanceId));
      }
      const current = joined ?? (await scope.call(describeMembership(instanceId)));
      if (current?.state !== "InService") throw poll("the app master to join its group");
    },

    "protect-app-master": async ({ request, resourceId, input, db, cloud }) => {
      const { location, group, name, instanceId } = await findMembers(db, resourceId, input.serverId);
      const { id, environmentId } = group;
      const scope = cloud(location);
      await scope.call(protectInstance(name, instanceId));
      await scope.call(resize(name, group));
      const desired = (await scope.call(desiredCapacity(name))) ?? group.desiredCapacity;
      await db.autoScalingGroup.update({ where: { id }, data: { desiredCapacity: desired } });
      await db.server.update({ where: { id: input.serverId }, data: { autoScalingGroupId: id } });
      await db.environment.update({ where: { id: environmentId }, data: { autoScalingGroupId: id } });
      await awaitMembers({ db, request }, scope, name);
    },
  },
  discard: async ({ resourceId, db }) => {
    await unlinkGroup(db, resourceId);
    await db.autoScalingGroup.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
  },
});

/** The group and the app master by their ids in AWS. */
async function findMembers(db: AwsStageContext["db"], groupId: string, serverId: number) {
  const group = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: groupId } });
  const { provisionedId: instanceId } = await db.server.findUniqueOrThrow({ where: { id: serverId } });
  const name = group.provisionedId;
  if (!name || !instanceId) throw permanent("The app master is not running in AWS");
  return { group, name, instanceId, location: { providerId: group.providerId, region: group.region } };
}
