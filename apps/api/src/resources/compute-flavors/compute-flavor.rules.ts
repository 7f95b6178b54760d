import { SPECIFICATION_FLAVORS } from "@gantry/aws-facts";
import type { Tx } from "@gantry/db";
import { type HttpError, invalid } from "../../http/errors/errors.js";
import { ownValue } from "../../http/input/own-value.js";

// For a server that names no flavor: two virtual processors and 4 GiB, the cheapest in most regions first.
const DEFAULT_FLAVORS = ["t3.medium", "t3a.medium"];
const SPECIFICATION_DEFAULT = "m3.medium";

const MAX_NAMED_FLAVORS = 12;

/** A region of a provider. */
interface Region {
  providerId: number;
  region: string;
}

/** A flavor that a server names, and the path of the server in the input. */
interface NamedFlavor {
  path: string;
  /** The region's default if absent. */
  flavor?: string | undefined;
}

/** A flavor and the zones of the region that offer it; undefined if the region's offers have not been read yet. */
export interface OfferedFlavor {
  flavor: string;
  zones: string[] | undefined;
}

/**
 * The flavor of each server, and its zones.
 *
 * @throws 422 with similar flavors if the region does not offer one
 */
export async function requireFlavors(db: Tx, region: Region, inputs: NamedFlavor[]): Promise<OfferedFlavor[]> {
  const names = [...new Set([...inputs.flatMap(({ flavor }) => flavor ?? []), ...DEFAULT_FLAVORS])];
  const offers = await findOffers(db, region, names);
  if (!offers) return inputs.map(requireSpecificationFlavor);
  const usual = DEFAULT_FLAVORS.find((name) => offers[name]);
  const offered: OfferedFlavor[] = [];
  for (const { path, flavor = usual } of inputs) {
    const zones = flavor === undefined ? undefined : ownValue(offers, flavor);
    if (flavor === undefined) offered.push(await findSmallestFlavor(db, region, path));
    else if (zones) offered.push({ flavor, zones });
    else throw await notOffered(db, region, { path, flavor });
  }
  return offered;
}

function requireSpecificationFlavor({ path, flavor = SPECIFICATION_DEFAULT }: NamedFlavor): OfferedFlavor {
  const names = SPECIFICATION_FLAVORS.map(([name]) => name);
  if (names.includes(flavor)) return { flavor, zones: undefined };
  throw invalid(`${path}.flavor`, `${flavor} is not a known flavor; known flavors are ${names.join(", ")}`);
}

/** The zones of the named flavors; undefined if the region's offers have not been read yet. */
async function findOffers(
  db: Tx,
  { providerId, region }: Region,
  names: string[],
): Promise<Record<string, string[]> | undefined> {
  const [found] = await db.$queryRaw<{ offers: Record<string, string[]> }[]>`
    SELECT coalesce((SELECT jsonb_object_agg(key, value) FROM jsonb_each(o.compute) WHERE key = ANY(${names})), '{}')
      AS offers
    FROM offer_lists o JOIN provider_locations l ON l.id = o.id
    WHERE l.provider_id = ${providerId} AND l.location_id = ${region} AND o.compute IS NOT NULL`;
  return found?.offers;
}

/** The smallest flavor with two virtual processors and 4 GiB, for a region that has none of the usual ones. */
async function findSmallestFlavor(db: Tx, { providerId, region }: Region, path: string): Promise<OfferedFlavor> {
  const [found] = await db.$queryRaw<{ flavor: string; zones: string[] }[]>`
    SELECT t.name AS flavor, o.compute->t.name AS zones
    FROM offer_lists o JOIN provider_locations l ON l.id = o.id JOIN instance_types t ON o.compute ? t.name
    WHERE l.provider_id = ${providerId} AND l.location_id = ${region}
      AND t.vcpus >= 2 AND t.memory_mib >= 4096 AND t.architecture = 'x86_64'
    ORDER BY t.memory_mib, t.vcpus, t.name LIMIT 1`;
  if (!found) throw invalid(`${path}.flavor`, `${region} has no default flavor; specify one`);
  return found;
}

async function notOffered(
  db: Tx,
  { providerId, region }: Region,
  { path, flavor }: { path: string; flavor: string },
): Promise<HttpError> {
  const names = await db.$queryRaw<{ name: string }[]>`
    SELECT name FROM offer_lists o JOIN provider_locations l ON l.id = o.id, jsonb_object_keys(o.compute) name
      LEFT JOIN instance_types t USING (name)
    WHERE l.provider_id = ${providerId} AND l.location_id = ${region}
    ORDER BY starts_with(name, ${flavor.split(".")[0]}) DESC, left(name, 1) = ${flavor.slice(0, 1)} DESC, t.memory_mib, name
    LIMIT ${MAX_NAMED_FLAVORS}`;
  const known = names.map(({ name }) => name).join(", ");
  const all = `see GET /providers/${providerId}/flavors/compute for all of them`;
  return invalid(`${path}.flavor`, `${region} does not offer ${flavor}; it offers ${known} (${all})`);
}
