import { Prisma, type Tx } from "@gantry/db";
import type { Caller } from "../../http/caller.js";
import { conflict, invalid } from "../../http/errors.js";
import { findUsableIn, requireUsable } from "../providers/provider.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

const DEFAULT_REGION = "us-east-1";

/** Where an environment's servers are made. */
interface Place {
  providerId: number | null;
  region: string;
  networkId: string | null;
  vpcProvisionedId: string | null;
}

interface Wanted {
  accountId: string;
  provider?: number | undefined;
  network?: string | undefined;
  region?: string | undefined;
}

/**
 * Where a new environment's servers will be made: in its network, else in the provider it names, else in the account's
 * oldest. What it stands in is locked, so that it is not removed until the transaction ends.
 *
 * @throws 404, 409 or 422 where something that is named cannot be used, or does not go together
 */
export async function placeFor(caller: Caller, db: Tx, wanted: Wanted): Promise<Place> {
  if (wanted.network !== undefined) return placeInNetwork(caller, db, wanted.network, wanted);
  const providerId = wanted.provider ?? (await oldestProvider(db, wanted.accountId));
  const region = wanted.region ?? DEFAULT_REGION;
  if (providerId !== null) await requireProvider(caller, db, providerId, region, wanted.accountId);
  return { providerId, region, networkId: null, vpcProvisionedId: null };
}

async function placeInNetwork(caller: Caller, db: Tx, networkId: string, wanted: Wanted): Promise<Place> {
  const network = await caller.find("network", networkId, "share");
  requireSameAccount(network, wanted, "network");
  if (network.deletedAt) throw conflict(`the network ${network.id} was deleted`);
  await assertNoOpenRequest(["deprovision_network"], db, "network", network.id);
  if (!network.provisionedId) throw conflict(`the network ${network.id} is not provisioned yet`);
  if (wanted.provider !== undefined && wanted.provider !== network.providerId) {
    await caller.find("provider", wanted.provider);
    throw invalid("provider", `the network ${network.id} is in provider ${network.providerId}`);
  }
  if (wanted.region && wanted.region !== network.location) {
    throw invalid("environment.region", `the network ${network.id} is in ${network.location}`);
  }
  const { providerId, location: region, provisionedId: vpcProvisionedId } = network;
  return { providerId, region, networkId: network.id, vpcProvisionedId };
}

async function requireProvider(caller: Caller, db: Tx, id: number, region: string, accountId: string): Promise<void> {
  const provider = await caller.find("provider", id, "share");
  requireSameAccount(provider, { accountId }, "provider");
  requireUsable(provider);
  await assertNoOpenRequest(["cancel_provider"], db, "provider", id);
  await findUsableIn(caller, id, region, "environment.region");
}

/** The account's oldest provider in which something new can be made, locked; null where there is none. */
export async function oldestProvider(db: Tx, accountId: string): Promise<number | null> {
  const [oldest] = await db.$queryRaw<{ id: number }[]>(Prisma.sql`
    SELECT id FROM providers WHERE account_id = ${accountId} AND deleted_at IS NULL AND cancelled_at IS NULL
      AND provisioned_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM requests WHERE resource_type = 'provider' AND resource_id = providers.id::text
          AND finished_at IS NULL AND type = 'cancel_provider')
    ORDER BY created_at, id LIMIT 1 FOR SHARE`);
  return oldest?.id ?? null;
}

/** @throws 422 where what is named belongs to another of the caller's accounts */
export function requireSameAccount(row: { accountId: string }, { accountId }: { accountId: string }, path: string) {
  if (row.accountId !== accountId) throw invalid(path, "belongs to another account");
}
