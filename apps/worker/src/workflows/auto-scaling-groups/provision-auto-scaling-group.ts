import { autoScalingGroup, desiredCapacity, resize } from "../../aws/auto-scaling/group.js";
import { attach, membershipOf, protect } from "../../aws/auto-scaling/members.js";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { launchOf, launchTemplate } from "../../aws/ec2/launch-template.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { standingSubnets } from "../networks/standing-subnets.js";
import { firstBootOf } from "../servers/first-boot-of.js";
import { forgetGroup } from "./forget-group.js";

/**
 * Makes a group around an environment's app master: empty at first, then the app master comes in and is protected, and
 * only then may the group launch others.
 */
export const provisionAutoScalingGroup = awsWorkflow({
  type: "provision_auto_scaling_group",
  stages: {
    create: async ({ resourceId, input, db, cloud }) => {
      const group = await db.autoScalingGroup.findUniqueOrThrow({
        where: { id: resourceId },
        include: { environment: true },
      });
      const { environment, maximumSize, providerId, region } = group;
      const { provisionedId: instanceId, flavor } = await db.server.findUniqueOrThrow({
        where: { id: input.serverId },
      });
      const { firewallId, networkId } = environment;
      const scope = cloud({ providerId, region });
      const [launch, subnetIds, firewall, firstBoot] = await Promise.all([
        instanceId && scope.call(launchOf(instanceId)),
        networkId ? standingSubnets(db, networkId) : scope.call(defaultSubnets()),
        firewallId && db.firewall.findUnique({ where: { id: firewallId } }),
        firstBootOf(db, { environment, role: "app" }),
      ]);
      if (!launch) throw permanent("The app master does not run in AWS");
      if (networkId && subnetIds.length === 0) throw permanent("The environment's network has no subnets");
      const securityGroupId = firewall ? firewall.provisionedId : null;
      const launchTemplateId = await scope.ensure(launchTemplate, {
        ...launch,
        flavor,
        securityGroupIds: securityGroupId ? [securityGroupId] : [],
        keyName: environment.keyPairName,
        firstBoot,
      });
      const provisionedId = await scope.ensure(autoScalingGroup, { launchTemplateId, subnetIds, maximumSize });
      await db.autoScalingGroup.update({ where: { id: group.id }, data: { provisionedId } });
    },

    "attach-app-master": async ({ resourceId, input, db, cloud }) => {
      const { place, name, instanceId } = await membersOf(db, resourceId, input.serverId);
      const scope = cloud(place);
      const before = await scope.call(membershipOf(instanceId));
      if (before && before.group !== name) throw permanent("The app master belongs to another auto scaling group");
      if (!before) await scope.call(attach(name, instanceId));
      const now = before ?? (await scope.call(membershipOf(instanceId)));
      if (now?.state !== "InService") throw poll("The app master to come into its group");
    },

    "protect-app-master": async ({ resourceId, input, db, cloud }) => {
      const { place, group, name, instanceId } = await membersOf(db, resourceId, input.serverId);
      const { id, environmentId } = group;
      const scope = cloud(place);
      await scope.call(protect(name, instanceId));
      await scope.call(resize(name, group));
      const wanted = await scope.call(desiredCapacity(name));
      const desired = wanted ?? group.desiredCapacity;
      await db.autoScalingGroup.update({ where: { id }, data: { desiredCapacity: desired } });
      await db.server.update({ where: { id: input.serverId }, data: { autoScalingGroupId: id } });
      await db.environment.update({ where: { id: environmentId }, data: { autoScalingGroupId: id } });
    },
  },
  discard: async ({ resourceId, db }) => {
    await forgetGroup(db, resourceId);
    await db.autoScalingGroup.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
  },
});

/** The group and the app master by the names that AWS has for them. */
async function membersOf(db: AwsStageContext["db"], groupId: string, serverId: number) {
  const group = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: groupId } });
  const { provisionedId: instanceId } = await db.server.findUniqueOrThrow({ where: { id: serverId } });
  const name = group.provisionedId;
  if (!name || !instanceId) throw permanent("The app master does not run in AWS");
  return { group, name, instanceId, place: { providerId: group.providerId, region: group.region } };
}
