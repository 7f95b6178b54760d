import type { DatabaseService, Firewall } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { allowIngress } from "../firewalls/ensure-rules.js";
import { portOf } from "./database.js";

/** Allows the servers of the service's environment on its port, where that environment has a firewall in the same VPC. */
export async function allowEnvironment(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  service: DatabaseService,
  firewall: Firewall,
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
  const portRange = String(portOf(service.engine));
  await allowIngress({ db, cloud }, firewall, [{ source: { firewallId: source.id }, portRange, protocol: "tcp" }]);
}
