import type { Owner } from "../../engine/ledger.js";
import { type AwsStageContext, ownersOf } from "../aws-workflow.js";
import { objectOwnersOf } from "../servers/object-owners.js";

/** Returns the records whose objects the removal of an environment removes, except its snapshots. */
export async function environmentObjectOwners(db: AwsStageContext["db"], environmentId: number): Promise<Owner[]> {
  const ofEnvironment = { environmentId, deletedAt: null };
  const [groups, servers, firewalls] = await Promise.all([
    db.autoScalingGroup.findMany({ where: ofEnvironment, select: { id: true } }),
    db.server.findMany({ where: ofEnvironment, select: { id: true } }),
    db.firewall.findMany({ where: ofEnvironment, select: { id: true } }),
  ]);
  const rules = await rulesOf(db, firewalls);
  return [
    ...ownersOf("auto_scaling_group", groups),
    ...(await objectOwnersOf(db, servers)),
    ...ownersOf("firewall", firewalls),
    ...ownersOf("firewall_rule", rules),
  ];
}

/** Returns the rules of firewalls, and those of others that allow their members. */
export function rulesOf(db: AwsStageContext["db"], firewalls: { id: number }[]) {
  const isOfFirewalls = { in: firewalls.map(({ id }) => id) };
  return db.firewallRule.findMany({
    where: { OR: [{ firewallId: isOfFirewalls }, { sourceFirewallId: isOfFirewalls }], deletedAt: null },
  });
}
