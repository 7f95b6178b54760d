import { Prisma, type Provider, type Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { invalid } from "../../http/errors/errors.js";
import { findUsableProvider, requireUsable } from "../providers/provider.rules.js";
import { requireNetworkIfShared } from "../providers/shared-provider.rules.js";
import { requireProvisioned } from "../provisioned.js";

const DEFAULT_REGION = "us-east-1";

/** The location of an environment's servers. */
interface Placement {
  providerId: number | null;
  region: string;
  networkId: string | null;
  vpcProvisionedId: string | null;
}

interface PlacementInput {
  accountId: string;
  provider?: number | undefined;
  network?: string | undefined;
  region?: string | undefined;
}

/**
 * The location of a new environment: its network, else the named provider, else the account's oldest provider, its own AWS accounts first. A lock
 * keeps the network or provider from removal until the transaction ends.
 *
 * @throws 404, 409 or 422 if the network, provider or region cannot be used, or they contradict each other
 */
export async function placeEnvironment(caller: Caller, db: Tx, input: PlacementInput): Promise<Placement> {
  if (input.network !== undefined) return placeInNetwork(caller, input.network, input);
  const providerId = input.provider ?? (await findOldestProvider(db, input.accountId));
  const region = input.region ?? DEFAULT_REGION;
  if (providerId !== null) {
    const provider = await requireProvider(caller, providerId, region, input.accountId);
    requireNetworkIfShared(provider, "an environment", "network");
  }
  return { providerId, region, networkId: null, vpcProvisionedId: null };
}

async function placeInNetwork(caller: Caller, networkId: string, input: PlacementInput): Promise<Placement> {
  const network = await caller.find("network", networkId, "share");
  requireSameAccount(network, input, "network");
  const vpcProvisionedId = requireProvisioned("network", network);
  if (input.provider !== undefined && input.provider !== network.providerId) {
    await caller.find("provider", input.provider);
    throw invalid("provider", `network ${network.id} is in provider ${network.providerId}`);
  }
  if (input.region && input.region !== network.location) {
    throw invalid("environment.region", `network ${network.id} is in ${network.location}`);
  }
  const { providerId, location: region } = network;
  return { providerId, region, networkId: network.id, vpcProvisionedId };
}

async function requireProvider(caller: Caller, id: number, region: string, accountId: string): Promise<Provider> {
  const provider = await caller.find("provider", id, "share");
  requireSameAccount(provider, { accountId }, "provider");
  requireUsable(provider);
  return findUsableProvider(caller, id, region, "environment.region");
}

/**
 * The account's oldest usable provider, locked against removal; null if there is none. Shared ones come last: they cannot hold an
 * environment outside a network.
 */
export async function findOldestProvider(db: Tx, accountId: string): Promise<number | null> {
  const [oldest] = await db.$queryRaw<{ id: number }[]>(Prisma.sql`
    SELECT id FROM providers WHERE account_id = ${accountId} AND deleted_at IS NULL AND cancelled_at IS NULL
      AND provisioned_id IS NOT NULL AND NOT EXISTS (
        SELECT 1 FROM requests WHERE resource_type = 'provider' AND resource_id = providers.id::text
          AND finished_at IS NULL AND type = 'cancel_provider')
    ORDER BY shared, created_at, id LIMIT 1 FOR SHARE`);
  return oldest?.id ?? null;
}

/** @throws 422 if the row belongs to another of the caller's accounts */
export function requireSameAccount(row: { accountId: string }, { accountId }: { accountId: string }, path: string) {
  if (row.accountId !== accountId) throw invalid(path, "belongs to another account");
}
