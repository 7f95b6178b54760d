import type { ComputeOffers, DatabaseOffers } from "@gantry/aws-facts";
import { type Db, insertInto, Prisma } from "@gantry/db";
import { classifyAwsError } from "../aws/aws-errors.js";
import type { Aws } from "../aws/clients.js";
import { readComputeOffers, readInstanceTypes, TYPES_A_CALL } from "../aws/offers/compute-offers.js";
import { readDatabaseOffers } from "../aws/offers/database-offers.js";

/** A region of a provider. */
interface Region {
  /** The id of its record. */
  id: string;
  accountId: string;
  /** Its name in AWS. */
  locationId: string;
}

type OffersDb = Pick<Db, "$queryRaw" | "$executeRaw">;
type MakeCalls = <T>(act: (aws: Aws) => Promise<T>) => Promise<T>;

/**
 * Records what AWS offers in a region, with the date of its reading: as another provider has read it since `since`, because
 * AWS offers the same to every account, or else as it reads it now. What AWS refuses to show stays as it was, with the
 * reason. The calls are at most 12, and one more for each hundred instance types of which nothing is known yet.
 *
 * @param call makes calls to AWS in the region
 * @throws errors of AWS that may pass
 */
export async function refreshOffers(db: OffersDb, region: Region, since: Date, call: MakeCalls): Promise<void> {
  if (await copyOffers(db, region, since)) return;
  const { id, accountId } = region;
  const compute = await readUnlessRefused<ComputeOffers>(() => call(readComputeOffers));
  const databases = await readUnlessRefused<DatabaseOffers>(() => call(readDatabaseOffers));
  if (compute.offers) await recordInstanceTypes(db, Object.keys(compute.offers), call);
  const message = compute.message ?? databases.message;
  const triedAt = new Date();
  const row = {
    ...{ id, accountId, triedAt, message },
    ...(compute.offers && { compute: compute.offers }),
    ...(databases.offers && { databases: databases.offers }),
    ...(message === null && { readAt: triedAt }),
  };
  await db.$executeRaw`${insertInto("offer_lists", row)} ${REPLACED}`;
}

const REPLACED = Prisma.sql`ON CONFLICT (id) DO UPDATE SET
  compute = coalesce(excluded.compute, offer_lists.compute),
  databases = coalesce(excluded.databases, offer_lists.databases),
  read_at = coalesce(excluded.read_at, offer_lists.read_at),
  tried_at = excluded.tried_at, message = excluded.message`;

/** Copies the offers that another provider has read in the region since then; returns false if none has. */
async function copyOffers(db: OffersDb, { id, accountId, locationId }: Region, since: Date): Promise<boolean> {
  const copied = await db.$executeRaw`
    INSERT INTO offer_lists (id, account_id, compute, databases, read_at, tried_at, message)
    SELECT ${id}::uuid, ${accountId}::uuid, offers.compute, offers.databases, offers.read_at, offers.read_at, NULL
    FROM provider_locations location JOIN offer_lists offers ON offers.id = location.id
    WHERE location.location_id = ${locationId} AND offers.read_at >= ${since} AND location.id <> ${id}::uuid
    ORDER BY offers.read_at DESC LIMIT 1 ${REPLACED}`;
  return copied > 0;
}

/** Returns whether the offers of a region were read since then. */
export async function haveOffersSince(db: OffersDb, id: string, since: Date): Promise<boolean> {
  const rows = await db.$queryRaw<object[]>`
    SELECT FROM offer_lists WHERE id = ${id}::uuid AND tried_at >= ${since}`;
  return rows.length > 0;
}

const OFFERS_HOURS = 24;

/** The time since which offers must have been read to be used again. */
export function offersAgeLimit(): Date {
  return new Date(Date.now() - OFFERS_HOURS * 3_600_000);
}

interface Reading<Offers> {
  offers: Offers | null;
  message: string | null;
}

async function readUnlessRefused<Offers extends object>(read: () => Promise<Offers>): Promise<Reading<Offers>> {
  try {
    const offers = await read();
    const isEmpty = Object.keys(offers).length === 0;
    return isEmpty ? { offers: null, message: "AWS did not list any offers" } : { offers, message: null };
  } catch (error) {
    const outcome = classifyAwsError(error);
    if (outcome?.kind !== "permanent") throw error;
    return { offers: null, message: outcome.message };
  }
}

async function recordInstanceTypes(db: OffersDb, offered: string[], call: MakeCalls): Promise<void> {
  const unknown = await db.$queryRaw<{ name: string }[]>`
    SELECT name FROM unnest(${offered}::text[]) name EXCEPT SELECT name FROM instance_types ORDER BY name`;
  for (let start = 0; start < unknown.length; start += TYPES_A_CALL) {
    const names = unknown.slice(start, start + TYPES_A_CALL).map(({ name }) => name);
    const [first, ...rest] = await call(readInstanceTypes(names));
    if (first) await db.$executeRaw`${insertInto("instance_types", first, ...rest)} ON CONFLICT DO NOTHING`;
  }
}
