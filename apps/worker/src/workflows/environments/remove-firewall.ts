import { kinds } from "../../aws/kinds.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { rulesOf } from "./object-owners.js";

/**
 * Removes an environment's security groups and key pair from AWS. The records of the firewall and its rules stay, and the
 * next server creates them again. Rules of other firewalls that allow this one's members are deleted for good.
 */
export async function removeFirewall(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  environmentId: number,
): Promise<void> {
  const firewall = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
  if (!firewall) return;
  const { id, providerId, region } = firewall;
  const rules = await rulesOf(db, [firewall]);
  for (const rule of rules) {
    await cloud({ providerId, region, owner: { type: "firewall_rule", id: String(rule.id) } }).removeAll(kinds);
    const isOfOtherFirewall = rule.firewallId !== id;
    const data = { provisionedId: null, ...(isOfOtherFirewall && { deletedAt: new Date() }) };
    await db.firewallRule.update({ where: { id: rule.id }, data });
  }
  await cloud({ providerId, region, owner: { type: "firewall", id: String(id) } }).removeAll(kinds);
  await db.environment.update({ where: { id: environmentId }, data: { firewallId: null, keyPairName: null } });
  await db.firewall.update({ where: { id }, data: { provisionedId: null, webGroupId: null } });
}
