import { modifyRule, ruleHas } from "../../aws/ec2/security-group-rule.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { paramsOf } from "./ensure-rules.js";

/**
 * Gives a firewall rule another source, another protocol or other ports, in one call to AWS. The record changes when AWS has
 * accepted the change.
 */
export const modifyFirewallRule = awsWorkflow({
  type: "modify_firewall_rule",
  stages: {
    modify: async ({ resourceId, input, db, cloud }) => {
      const id = Number(resourceId);
      const { firewall, ...row } = await db.firewallRule.findUniqueOrThrow({
        where: { id },
        include: { firewall: true },
      });
      const { provisionedId, deletedAt } = row;
      if (!provisionedId || deletedAt) throw permanent("The firewall rule does not exist in AWS");
      const changed = { ...row, ...input };
      const { firewallId, source, portRange, protocol, applicationOnly, sourceFirewallId } = changed;
      const same = await db.firewallRule.findFirst({
        where: { firewallId, source, portRange, protocol, applicationOnly, deletedAt: null, id: { not: id } },
      });
      if (same) throw permanent(`Firewall ${firewallId} already has this rule: ${same.id}`);
      const sourceFirewall = sourceFirewallId
        ? await db.firewall.findUniqueOrThrow({ where: { id: sourceFirewallId } })
        : null;
      const wanted = paramsOf({ ...changed, firewall, sourceFirewall });
      const scope = cloud({ providerId: firewall.providerId, region: firewall.region });
      const hasWanted = () => scope.call(ruleHas(provisionedId, wanted));
      // A call whose answer was lost may have made the change already: before, or just now by a repetition of the SDK.
      if (!(await hasWanted()) && !(await scope.call(modifyRule(provisionedId, wanted)))) {
        if (!(await hasWanted()))
          throw permanent(`Firewall ${firewallId} has an equal rule in AWS that Gantry does not know`);
      }
      await db.firewallRule.update({ where: { id }, data: input });
    },
  },
});
