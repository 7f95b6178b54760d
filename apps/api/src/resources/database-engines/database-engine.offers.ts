import {
  type DatabaseClassOffer,
  type DatabaseOffers,
  type EngineVersion,
  isEncryptable,
  isSpecificationFlavor,
  rdsEngineName,
  SPECIFICATION_AURORA,
  SPECIFICATION_DATABASE_FLAVORS,
  SPECIFICATION_VERSIONS,
} from "@gantry/aws-facts";
import type { Tx } from "@gantry/db";
import { field } from "@gantry/resources";
import { z } from "zod";

export const databaseFlavor = z.object({
  id: field(z.string(), "1"),
  api_name: field(z.string(), "t3.medium", "The value for `flavor`"),
  name: field(z.string(), "shop"),
  description: field(z.string(), "An example"),
  engines: z.array(z.string()).describe("The engines that run on it"),
  zones: field(z.array(z.string()), ["us-east-1a"], "Empty until Gantry has read it from AWS"),
});

/** What AWS offers in some regions, with the time of the answer; null before that. */
export interface DatedOffers {
  offers: DatabaseOffers;
  readAt: Date | null;
}

/** The database engines that a region of a provider offers, or all of its regions. */
export async function findDatabaseOffers(
  db: Tx,
  { providerId, region }: { providerId: number; region?: string | undefined },
): Promise<DatedOffers> {
  const lists = await db.offerList.findMany({
    where: { location: { providerId, ...(region && { locationId: region }) } },
    select: { databases: true, readAt: true },
  });
  const read = lists.flatMap(({ databases }) => (databases ? [databases as unknown as DatabaseOffers] : []));
  if (read.length === 0) return { offers: SPECIFICATION_OFFERS, readAt: null };
  const times = lists.flatMap(({ readAt }) => readAt ?? []).sort((a, b) => Number(a) - Number(b));
  return { offers: read.reduce(union), readAt: times[0] ?? null };
}

/** The versions of each engine, the newest last; those of `aurora-mysql` also by the specification's name. */
export function versionsOf(offers: DatabaseOffers): Record<string, string[]> {
  const versions = Object.entries(offers).map(([engine, offer]): [string, string[]] => [
    engine,
    offer.versions.map(({ version }) => version),
  ]);
  const aurora = versions.find(([engine]) => engine === rdsEngineName(SPECIFICATION_AURORA));
  return Object.fromEntries(aurora ? [...versions, [SPECIFICATION_AURORA, aurora[1]]] : versions);
}

/** The flavors of all engines, by name. */
export function flavorsOf(offers: DatabaseOffers): z.infer<typeof databaseFlavor>[] {
  const flavors = new Map<string, { engines: string[]; zones: string[] }>();
  for (const [engine, { classes }] of Object.entries(offers)) {
    for (const [name, { zones }] of Object.entries(classes)) {
      const earlier = flavors.get(name);
      flavors.set(name, { engines: [...(earlier?.engines ?? []), engine], zones: merged(earlier?.zones ?? [], zones) });
    }
  }
  return [...flavors]
    .sort(([a], [b]) => a.localeCompare(b, "en", { numeric: true }))
    .map(([name, offer]) => {
      const id = name.replaceAll(".", "_");
      return { id, api_name: name, name: id, description: `For ${offer.engines.join(", ")}`, ...offer };
    });
}

function union(a: DatabaseOffers, b: DatabaseOffers): DatabaseOffers {
  const all = { ...a };
  for (const [engine, offer] of Object.entries(b)) {
    const { versions, classes } = all[engine] ?? { versions: [], classes: {} };
    const offered = new Set(versions.map(({ version }) => version));
    all[engine] = {
      versions: [...versions, ...offer.versions.filter(({ version }) => !offered.has(version))],
      classes: {
        ...classes,
        ...Object.fromEntries(
          Object.entries(offer.classes).map(([name, each]) => [name, unionOfClass(classes[name], each)]),
        ),
      },
    };
  }
  return all;
}

function unionOfClass(a: DatabaseClassOffer | undefined, b: DatabaseClassOffer): DatabaseClassOffer {
  if (!a) return b;
  return {
    zones: merged(a.zones, b.zones),
    storageTypes: merged(a.storageTypes, b.storageTypes),
    isEncryptable: a.isEncryptable || b.isEncryptable,
  };
}

function merged(a: string[], b: string[]): string[] {
  return [...new Set([...a, ...b])].sort();
}

/** The offers that the specification lists, for a cloud that has not been asked or does not answer. */
const SPECIFICATION_OFFERS: DatabaseOffers = Object.fromEntries(
  Object.entries(SPECIFICATION_VERSIONS).map(([engine, versions]) => {
    const flavors = SPECIFICATION_DATABASE_FLAVORS.filter((flavor) => isSpecificationFlavor(engine, flavor));
    const storageTypes = engine.startsWith("aurora") ? ["aurora"] : ["gp2", "gp3", "standard"];
    const classes = flavors.map((flavor): [string, DatabaseClassOffer] => [
      flavor,
      { zones: [], storageTypes, isEncryptable: isEncryptable(flavor) },
    ]);
    return [engine, { versions: versions.map(specificationVersion), classes: Object.fromEntries(classes) }];
  }),
);

function specificationVersion(version: string, i: number, all: readonly string[]): EngineVersion {
  const major = majorOf(version);
  return { version, major, isDefault: all.findLastIndex((other) => majorOf(other) === major) === i };
}

function majorOf(version: string): string {
  return version.split(".").slice(0, 2).join(".");
}
