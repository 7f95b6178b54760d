import type { Firewall, FirewallRule } from "@gantry/db";
import { securityGroupRule } from "../../aws/ec2/security-group-rule.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Rule = FirewallRule & { firewall: Firewall; sourceFirewall: Firewall | null };

/** Creates a rule in AWS, and records its id. May be repeated. */
export async function ensureRule({ db, cloud }: Pick<AwsStageContext, "db" | "cloud">, rule: Rule): Promise<void> {
  const { id, accountId, firewall, sourceFirewall, source, portRange, protocol } = rule;
  const { providerId, region, provisionedId: groupId } = firewall;
  if (!groupId) throw permanent("The firewall of this rule does not exist in AWS");
  if (sourceFirewall && (sourceFirewall.accountId !== accountId || !sourceFirewall.provisionedId)) {
    throw permanent("The firewall that the rule lets in does not exist in AWS");
  }
  const [fromPort = 0, toPort = fromPort] = portRange.split("-").map(Number);
  const scope = cloud({ providerId, region, owner: { type: "firewall_rule", id: String(id) } });
  const provisionedId = await scope.ensure(securityGroupRule, {
    groupId,
    source: sourceFirewall?.provisionedId ? { groupId: sourceFirewall.provisionedId } : { cidr: source },
    protocol: protocol as "tcp" | "udp",
    fromPort,
    toPort,
  });
  if (rule.provisionedId !== provisionedId) await db.firewallRule.update({ where: { id }, data: { provisionedId } });
}
