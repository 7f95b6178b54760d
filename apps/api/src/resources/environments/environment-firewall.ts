import { type Environment, insertInto, nextId, type Prisma, type Tx } from "@gantry/db";

/**
 * The insert of an environment's firewall. Whoever settles an environment's provider writes it along: its creation, or
 * else its first boot.
 */
export async function insertFirewallOf(
  db: Tx,
  environment: Pick<Environment, "id" | "accountId" | "region" | "vpcProvisionedId"> & { providerId: number },
): Promise<Prisma.Sql> {
  const { id: environmentId, accountId, providerId, region, vpcProvisionedId } = environment;
  const id = await nextId(db, "firewalls");
  const name = `environment-${environmentId}`;
  return insertInto("firewalls", { id, accountId, environmentId, providerId, region, vpcProvisionedId, name });
}
