import { findDefaultVpc } from "../../aws/ec2/default-vpc.js";
import { keyPair } from "../../aws/ec2/key-pair.js";
import { securityGroup } from "../../aws/ec2/security-group.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { allowEnvironment } from "./allow-environment.js";
import { ensureRules, type Ingress, insertRules } from "./ensure-rules.js";

/**
 * The rules of a new environment's firewall: its own members, and web traffic to its application servers. SSH is not
 * allowed by default.
 */
function defaultIngress(firewallId: number): Ingress[] {
  const members = { source: { firewallId }, portRange: "0-65535" };
  const anywhere = { source: { cidr: "0.0.0.0/0" }, protocol: "tcp" as const, applicationOnly: true };
  return [
    { ...members, protocol: "tcp" },
    { ...members, protocol: "udp" },
    { ...anywhere, portRange: "80" },
    { ...anywhere, portRange: "443" },
  ];
}

/** Creates the firewall of an environment with its recorded rules, and the key pair, unless both exist already. */
export const provisionDefaultFirewall = awsWorkflow({
  type: "provision_default_firewall",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const firewall = await db.firewall.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { environment: true },
      });
      const { id, environment, providerId, region, provisionedId, deletedAt } = firewall;
      if (!environment || deletedAt) throw permanent("The firewall or its environment was deleted");
      if (provisionedId && environment.firewallId === id && environment.keyPairName) return;

      const scope = cloud({ providerId, region, environmentId: environment.id });
      const vpcId = firewall.vpcProvisionedId ?? (await scope.call(findDefaultVpc));
      if (!vpcId) throw permanent(`The AWS account has no default VPC in ${region}; use a network for the environment`);
      // Rules that were deleted since the first run are not created again.
      const isFirst = (await db.firewallRule.count({ where: { firewallId: id } })) === 0;
      if (isFirst) await insertRules({ db, cloud }, firewall, defaultIngress(id));
      const isForWeb = { firewallId: id, applicationOnly: true, deletedAt: null };
      const hasWebRules = (await db.firewallRule.count({ where: isForWeb })) > 0;

      const name = `gantry-environment-${environment.id}`;
      const webDescription = `Application servers of environment ${environment.id}`;
      const webGroup = { name: `${name}-web`, description: webDescription, vpcId };
      const [groupId, webGroupId, keyPairName] = await Promise.all([
        scope.ensure(securityGroup, { name, description: `Servers of environment ${environment.id}`, vpcId }),
        hasWebRules ? scope.ensure(securityGroup, webGroup, "web") : null,
        scope.ensure(keyPair, { name, publicKey: environment.internalPublicKey }),
      ]);
      await db.firewall.update({
        where: { id },
        data: { provisionedId: groupId, webGroupId, vpcProvisionedId: vpcId },
      });
      await ensureRules({ db, cloud }, { firewallId: id });
      await allowEnvironment({ db, cloud }, environment.id);
      await db.environment.update({ where: { id: environment.id }, data: { firewallId: id, keyPairName } });
    },
  },
  discard: async ({ resourceId, db }) => {
    const isOfFirewall = { resourceType: "firewall", resourceId, kind: securityGroup.kind, removedAt: null };
    // The firewall of an earlier Request stays.
    if ((await db.cloudObject.count({ where: { ...isOfFirewall, request: { successful: true } } })) > 0) return;
    const id = Number(resourceId);
    await db.environment.updateMany({ where: { firewallId: id }, data: { firewallId: null, keyPairName: null } });
    await db.firewallRule.updateMany({ where: { firewallId: id }, data: { provisionedId: null } });
    const isOfDatabase = { sourceFirewallId: id, firewallId: { not: id }, deletedAt: null };
    await db.firewallRule.updateMany({ where: isOfDatabase, data: { provisionedId: null, deletedAt: new Date() } });
    await db.firewall.update({ where: { id }, data: { provisionedId: null, webGroupId: null } });
  },
});
