import type { DatabaseService, Firewall } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { allowIngress } from "../firewalls/ensure-rules.js";

/**
 * Allows the servers of the service's environment, if that environment has a firewall in the same VPC.
 *
 * @param port the one that RDS reports for the master
 */
export async function allowEnvironment(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  service: DatabaseService,
  firewall: Firewall,
  port: number,
): Promise<void> {
  if (!service.environmentId) return;
  // A service without a network is in the region's default VPC, as a firewall without a VPC is.
  const inSameVpc = [
    { vpcProvisionedId: firewall.vpcProvisionedId },
    ...(service.networkId ? [] : [{ vpcProvisionedId: null }]),
  ];
  const source = await db.firewall.findFirst({
    where: { environmentId: service.environmentId, region: service.region, deletedAt: null, OR: inSameVpc },
  });
  if (!source?.provisionedId) return;
  const portRange = String(port);
  await allowIngress({ db, cloud }, firewall, [{ source: { firewallId: source.id }, portRange, protocol: "tcp" }]);
}
