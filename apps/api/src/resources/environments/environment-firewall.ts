import { type Environment, insertInto, nextId, Prisma, type Tx } from "@gantry/db";
import { conflict } from "../../http/errors.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { oldestProvider } from "./environment-place.js";

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

/**
 * Chooses a provider for an environment that was made before its account had one.
 *
 * @returns the provider, and the statements by which the environment keeps it
 * @throws 409 where the account has none yet
 */
export async function settleProvider(
  db: Tx,
  environment: Environment,
): Promise<{ providerId: number; rows: Prisma.Sql[] }> {
  const { id, accountId } = environment;
  const providerId = await oldestProvider(db, accountId);
  if (providerId === null) throw conflict(`the environment ${id} has no provider to make servers in`);
  await assertNoOpenRequest(["cancel_provider"], db, "provider", providerId);
  const firewall = await insertFirewallOf(db, { ...environment, providerId });
  return {
    providerId,
    rows: [firewall, Prisma.sql`UPDATE environments SET provider_id = ${providerId} WHERE id = ${id}`],
  };
}
