import {
  compareVersions,
  DATABASE_STORAGE_TYPES,
  type DatabaseClassOffer,
  type DatabaseOffers,
  type DatabaseStorageType,
  DEFAULT_DATABASE_STORAGE_GB,
  exceededDatabaseStorage,
  isAurora,
  rdsEngineName,
  SPECIFICATION_AURORA,
} from "@gantry/aws-facts";
import { invalid } from "../../http/errors/errors.js";
import { ownValue } from "../../http/input/own-value.js";

/** The parameters of a database server that depend on each other. */
export interface DatabaseServerInput {
  engine?: string | undefined;
  version: string;
  flavor: string;
  location: string;
  storage?: number | undefined;
  modifiers?: { multi_az?: boolean | undefined; storage_type?: DatabaseStorageType | undefined } | undefined;
}

const MAX_NAMED_FLAVORS = 20;

const path = (name: string) => `database_server.${name}`;
const listKnown = (known: string[]) => `use one of ${known.join(", ")}`;

/**
 * The engine of a new database and its version: the named engine, or the first one that has the version. A major
 * version means its default.
 *
 * @throws 422 that lists the known engines or versions
 */
export function requireEngine(
  offers: DatabaseOffers,
  { engine, version }: Pick<DatabaseServerInput, "engine" | "version">,
): { engine: string; version: string } {
  const engines = Object.keys(offers);
  if (engine !== undefined && !ownValue(offers, rdsEngineName(engine))) {
    const names = [...engines, ...(offers["aurora-mysql"] ? [SPECIFICATION_AURORA] : [])];
    throw invalid(path("engine"), `${engine} is not an engine; ${listKnown(names)}`);
  }
  const candidates = engine === undefined ? engines.sort(byAurora) : [rdsEngineName(engine)];
  for (const name of candidates) {
    const versions = ownValue(offers, name)?.versions ?? [];
    const match = versions.find(
      (each) => isNamed(each.version, version) || (isNamed(each.major, version) && each.isDefault),
    );
    if (match) return { engine: engine ?? name, version: match.version };
  }
  const offered = candidates.flatMap((name) => ownValue(offers, name)?.versions ?? []);
  const isMajorKnown = offered.some(({ major }) => version.startsWith(`${major}.`));
  const near = isMajorKnown ? offered.filter(({ major }) => version.startsWith(`${major}.`)) : offered;
  const majors = [...new Set(offered.map(({ major }) => major))];
  const names = isMajorKnown || near.length <= MAX_NAMED_FLAVORS ? near.map((each) => each.version) : majors;
  throw invalid(path("version"), `${version} is not a version${engine ? ` of ${engine}` : ""}; ${listKnown(names)}`);
}

/**
 * The version to which RDS upgrades a server, and whether it is of another major version. A major version means its default.
 * Before Gantry has read the upgrades, any later version is one.
 *
 * @throws 422 that lists the versions to which RDS upgrades the server
 */
export function requireUpgrade(
  offers: DatabaseOffers,
  { engine, version: present }: { engine: string; version: string },
  wanted: string,
): { version: string; isMajor: boolean } {
  const versions = ownValue(offers, rdsEngineName(engine))?.versions ?? [];
  const own = versions.find(({ version }) => version === present);
  const targets = versions.filter(({ version }) =>
    own?.upgrades ? own.upgrades.includes(version) : compareVersions(version, present) > 0,
  );
  const ofMajor = targets.filter(({ major }) => isNamed(major, wanted));
  const target =
    targets.find(({ version }) => isNamed(version, wanted)) ??
    ofMajor.findLast(({ isDefault }) => isDefault) ??
    ofMajor.at(-1);
  if (!target) {
    const names = targets.map(({ version }) => version);
    const known = names.length > 0 ? listKnown(names) : "there is no later version for it";
    throw invalid(path("version"), `RDS does not upgrade ${engine} ${present} to ${wanted}; ${known}`);
  }
  return { version: target.version, isMajor: !present.startsWith(`${target.major}.`) };
}

/** True for a version's name and for its id, which has underscores for dots as the ids of flavors have. */
function isNamed(version: string, text: string): boolean {
  return text === version || text === version.replaceAll(".", "_");
}

// A version that names no engine means the plain one: "16" PostgreSQL and not Aurora.
function byAurora(a: string, b: string): number {
  return Number(isAurora(a)) - Number(isAurora(b));
}

/**
 * Returns the offer for a flavor of an engine.
 *
 * @throws 422 that lists flavors if the engine does not offer the flavor, or zones if only the zone does not offer it
 */
export function requireFlavor(
  offers: DatabaseOffers,
  engine: string,
  { flavor, zone }: { flavor: string; zone?: string },
): DatabaseClassOffer {
  const offer = ownValue(offers, rdsEngineName(engine));
  const classes = Object.entries(offer?.classes ?? {}).filter(([, each]) => isUsable(each, engine));
  const flavorClass = classes.find(([name]) => name === flavor)?.[1];
  const isOffered = ({ zones }: DatabaseClassOffer) => !zone || zones.length === 0 || zones.includes(zone);
  if (!flavorClass) {
    const family = flavor.split(".").slice(0, 2).join(".");
    const names = classes.flatMap(([name, each]) => (isOffered(each) ? [name] : []));
    names.sort((a, b) => Number(b.startsWith(family)) - Number(a.startsWith(family)));
    const more = names.length > MAX_NAMED_FLAVORS ? ` and ${names.length - MAX_NAMED_FLAVORS} more` : "";
    const known = listKnown(names.slice(0, MAX_NAMED_FLAVORS));
    throw invalid(path("flavor"), `${flavor} is not a flavor for ${engine}; ${known}${more}`);
  }
  if (!isOffered(flavorClass)) {
    throw invalid(path("location"), `AWS offers ${flavor} in ${flavorClass.zones.join(", ")}, but not in ${zone}`);
  }
  return flavorClass;
}

function isUsable(offer: DatabaseClassOffer, engine: string): boolean {
  return isAurora(engine) || storageTypesOf(offer).length > 0;
}

function storageTypesOf({ storageTypes }: DatabaseClassOffer): DatabaseStorageType[] {
  return DATABASE_STORAGE_TYPES.filter((type) => storageTypes.includes(type));
}

/** The storage of a new database on a flavor, which is none of Aurora's. @throws 422 if RDS cannot create it */
export function requireStorage(
  offer: DatabaseClassOffer,
  {
    flavor,
    storage: sizeGb = DEFAULT_DATABASE_STORAGE_GB,
    modifiers,
  }: Omit<DatabaseServerInput, "version" | "location">,
): { storageGb: number; storageType: string } {
  const types = storageTypesOf(offer);
  const type = modifiers?.storage_type ?? (types[0] as DatabaseStorageType);
  if (!types.includes(type))
    throw invalid(
      path("modifiers.storage_type"),
      `${flavor} does not support storage of type ${type}; ${listKnown(types)}`,
    );
  const exceeded = exceededDatabaseStorage(type, sizeGb);
  if (exceeded) throw invalid(path("storage"), exceeded);
  return { storageGb: sizeGb, storageType: type };
}

/**
 * The offer for a new database.
 *
 * @throws 422 if the parameters exclude each other, or AWS does not offer their combination
 */
export function requireCompatible(
  offers: DatabaseOffers,
  engine: string,
  input: DatabaseServerInput,
): DatabaseClassOffer {
  const { flavor, location, storage, modifiers } = input;
  const zone = modifiers?.multi_az ? {} : { zone: location };
  const offer = requireFlavor(offers, engine, { flavor, ...zone });
  if (!isAurora(engine)) {
    requireStorage(offer, input);
    return offer;
  }
  if (storage !== undefined) throw invalid(path("storage"), `${engine}'s storage grows automatically; omit the size`);
  if (modifiers?.storage_type)
    throw invalid(path("modifiers.storage_type"), `${engine} does not support a choice of storage type; omit it`);
  if (modifiers?.multi_az) {
    const why = `${engine} always stores its data in three zones; for failover, add a replica in another zone`;
    throw invalid(path("modifiers.multi_az"), why);
  }
  return offer;
}

/** @throws 422 if RDS cannot encrypt servers of the flavor */
export function requireEncryptable(flavor: string, { isEncryptable }: DatabaseClassOffer): void {
  if (!isEncryptable) throw invalid(path("storage_encrypted"), `${flavor} cannot be encrypted`);
}
