import { kinds } from "../../aws/kinds.js";
import { awsWorkflow } from "../aws-workflow.js";

/** Removes a rule from a firewall. */
export const deprovisionFirewallRule = awsWorkflow({
  type: "deprovision_firewall_rule",
  removesObjectsOf: "own record",
  stages: {
    cleanup: async ({ resourceId, db, cloud }) => {
      const id = Number(resourceId);
      const { firewall } = await db.firewallRule.findUniqueOrThrow({ where: { id }, include: { firewall: true } });
      await cloud({ providerId: firewall.providerId, region: firewall.region }).removeAll(kinds);
      await db.firewallRule.update({ where: { id }, data: { deletedAt: new Date() } });
    },
  },
});
