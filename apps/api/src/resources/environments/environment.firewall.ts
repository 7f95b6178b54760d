import { type Environment, insertInto, nextId, Prisma, type Tx } from "@gantry/db";
import type { Tags } from "@gantry/resources";
import { conflict } from "../../http/errors/errors.js";
import { findOldestProvider } from "./environment.placement.js";

/**
 * The insert of an environment's firewall. It goes with the statement that sets the environment's provider: the
 * environment's creation or its first boot.
 */
export async function insertEnvironmentFirewall(
  db: Tx,
  environment: Pick<Environment, "id" | "accountId" | "region" | "vpcProvisionedId"> & {
    providerId: number;
    tags: unknown;
  },
): Promise<Prisma.Sql> {
  const { id: environmentId, accountId, providerId, region, vpcProvisionedId } = environment;
  const id = await nextId(db, "firewalls");
  const name = `environment-${environmentId}`;
  const tags = environment.tags as Tags;
  return insertInto("firewalls", { id, accountId, environmentId, providerId, region, vpcProvisionedId, name, tags });
}

/**
 * Chooses a provider for an environment that is older than its account's first provider.
 *
 * @returns the provider, and the statements that write it
 * @throws 409 if the account has none yet
 */
export async function assignProvider(
  db: Tx,
  environment: Environment,
): Promise<{ providerId: number; rows: Prisma.Sql[] }> {
  const { id, accountId } = environment;
  const providerId = await findOldestProvider(db, accountId);
  if (providerId === null) throw conflict(`environment ${id} has no provider`);
  const firewall = await insertEnvironmentFirewall(db, { ...environment, providerId });
  return {
    providerId,
    rows: [firewall, Prisma.sql`UPDATE environments SET provider_id = ${providerId} WHERE id = ${id}`],
  };
}
