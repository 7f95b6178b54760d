import type { Firewall } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { allowIngress } from "./ensure-rules.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/**
 * Allows the servers of an environment on the ports of its databases in the same VPC. It is done when the later of the two
 * exists: the environment's firewall and a database each record that they exist, and then call this. May be repeated.
 */
export async function allowEnvironment(context: Context, environmentId: number | null): Promise<void> {
  if (environmentId === null) return;
  const { db } = context;
  const source = await db.firewall.findFirst({ where: { environmentId, deletedAt: null } });
  if (!source?.provisionedId) return;
  const services = await db.databaseService.findMany({
    where: {
      environmentId,
      region: source.region,
      deletedAt: null,
      servers: {
        some: {
          replicationSourceId: null,
          state: { notIn: ["made", "taking-credentials"] },
          provisionedId: { not: null },
        },
      },
    },
    include: {
      firewalls: { where: { deletedAt: null, provisionedId: { not: null } } },
      servers: { where: { replicationSourceId: null } },
    },
  });
  for (const service of services) {
    const firewall = service.firewalls.find((each) => isSameVpc(each, source, service.networkId));
    // The port that RDS reported: each engine has its own, and an owner may choose another.
    const portRange = service.servers.map(({ endpoint }) => new URL(endpoint ?? "rds:").port)[0];
    if (firewall && portRange) {
      await allowIngress(context, firewall, [{ source: { firewallId: source.id }, portRange, protocol: "tcp" }]);
    }
  }
}

// A service without a network is in the region's default VPC, as a firewall without a VPC is.
function isSameVpc({ vpcProvisionedId }: Firewall, source: Firewall, networkId: string | null): boolean {
  return source.vpcProvisionedId === vpcProvisionedId || (networkId === null && source.vpcProvisionedId === null);
}
