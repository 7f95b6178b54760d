import type { DatabaseService } from "@gantry/db";
import type { Aws } from "../../aws/clients.js";
import { securityGroupRule } from "../../aws/ec2/security-group-rule.js";
import type { Place } from "../../engine/hands.js";
import type { StageContext } from "../../engine/workflow.js";
import { portOf } from "./database.js";

interface Door {
  service: DatabaseService;
  place: Place;
  firewall: { id: number; vpcId: string; groupId: string };
}

/** Lets the servers of the service's environment reach its port, where that environment has a firewall in the same VPC. */
export async function letEnvironmentIn(
  { db, cloud }: Pick<StageContext<Aws, unknown>, "db" | "cloud">,
  { service, place, firewall }: Door,
): Promise<void> {
  if (!service.environmentId) return;
  // Without a network both are in the region's default VPC.
  const inSameVpc = [{ vpcProvisionedId: firewall.vpcId }, ...(service.networkId ? [] : [{ vpcProvisionedId: null }])];
  const source = await db.firewall.findFirst({
    where: { environmentId: service.environmentId, region: service.region, deletedAt: null, OR: inSameVpc },
  });
  if (!source?.provisionedId) return;
  const port = portOf(service.engine);
  const wanted = {
    accountId: service.accountId,
    firewallId: firewall.id,
    source: String(source.id),
    sourceFirewallId: source.id,
    portRange: String(port),
    protocol: "tcp",
  };
  const rule =
    (await db.firewallRule.findFirst({ where: { ...wanted, deletedAt: null } })) ??
    (await db.firewallRule.create({ data: wanted }));
  const aws = cloud({ ...place, owner: { type: "firewall_rule", id: String(rule.id) } });
  const provisionedId = await aws.ensure(securityGroupRule, {
    groupId: firewall.groupId,
    source: { groupId: source.provisionedId },
    protocol: "tcp",
    fromPort: port,
    toPort: port,
  });
  await db.firewallRule.update({ where: { id: rule.id }, data: { provisionedId } });
}
