import type { AwsStageContext } from "../aws-workflow.js";
import { openFirewall } from "../firewalls/open-firewall.js";
import { type Database, portOf } from "./database.js";

/** Lets the servers of a database's environment reach its port, where they have a firewall in the same VPC. */
export async function letEnvironmentIn(
  context: Pick<AwsStageContext, "db" | "cloud" | "request">,
  { service, firewall }: Pick<Database, "service" | "firewall">,
  vpcId: string,
): Promise<void> {
  const { environmentId, engine, region, networkId } = service;
  if (!environmentId) return;
  // Without a network both are in the region's default VPC.
  const inSameVpc = [{ vpcProvisionedId: vpcId }, ...(networkId ? [] : [{ vpcProvisionedId: null }])];
  const source = await context.db.firewall.findFirst({
    where: { environmentId, region, deletedAt: null, provisionedId: { not: null }, OR: inSameVpc },
  });
  if (!source) return;
  const opening = { source: { firewallId: source.id }, portRange: String(portOf(engine)), protocol: "tcp" as const };
  await openFirewall(context, firewall.id, [opening]);
}
