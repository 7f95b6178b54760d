import { awsWorkflow } from "../aws-workflow.js";
import { ensureRule } from "./ensure-rules.js";

/** Adds a rule to a firewall. */
export const provisionFirewallRule = awsWorkflow({
  type: "provision_firewall_rule",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const rule = await db.firewallRule.findUniqueOrThrow({
        where: { id: Number(resourceId) },
        include: { firewall: true, sourceFirewall: true },
      });
      await ensureRule({ db, cloud }, rule);
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.firewallRule.update({ where: { id: Number(resourceId) }, data: { deletedAt: new Date() } });
  },
});
