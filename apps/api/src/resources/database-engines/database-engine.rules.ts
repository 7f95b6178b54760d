import { invalid } from "../../http/errors.js";
import { DATABASE_FLAVORS, ENGINE_VERSIONS } from "./database-engine.catalogue.js";

export const AURORA = "aurora";

// The flavors of Aurora with MySQL 5.6, and those that RDS cannot encrypt ("Overview of encrypting Amazon RDS").
const AURORA_FLAVORS = /^db\.(r3\.|t2\.(small|medium)$)/;
const UNENCRYPTABLE_FLAVORS = /^db\.t2\.micro$/;

/** The parameters of a database server that depend on each other. */
export interface DatabaseServerInput {
  engine?: string | undefined;
  version: string;
  flavor: string;
  storage?: number | undefined;
  storage_encrypted?: boolean | undefined;
  modifiers?: { multi_az?: boolean | undefined; storage_type?: string | undefined } | undefined;
}

const path = (name: string) => `database_server.${name}`;
const listKnown = (known: string[]) => `known are ${known.join(", ")}`;

/**
 * The engine of a new database: the named one, or the only one that has the version.
 *
 * @throws 422 that lists the known engines or versions
 */
export function requireEngine({ engine, version }: Pick<DatabaseServerInput, "engine" | "version">): string {
  const engines = Object.keys(ENGINE_VERSIONS);
  if (engine !== undefined && !engines.includes(engine)) {
    throw invalid(path("engine"), `${engine} is not an engine: ${listKnown(engines)}`);
  }
  const found = engines.find((each) => (engine ?? each) === each && ENGINE_VERSIONS[each]?.includes(version));
  if (found) return found;
  const known = engine ? (ENGINE_VERSIONS[engine] ?? []) : Object.values(ENGINE_VERSIONS).flat();
  throw invalid(path("version"), `${version} is not a version${engine ? ` of ${engine}` : ""}: ${listKnown(known)}`);
}

/** @throws 422 where the engine has no such flavor */
export function requireFlavor(engine: string, flavor: string): void {
  const known = DATABASE_FLAVORS.map((each) => each.api_name).filter(
    (name) => engine !== AURORA || AURORA_FLAVORS.test(name),
  );
  if (!known.includes(flavor)) {
    throw invalid(path("flavor"), `${flavor} is not a flavor for ${engine}: ${listKnown(known)}`);
  }
}

/** @throws 422 where the parameters exclude each other */
export function requireCompatible(
  engine: string,
  { flavor, storage, storage_encrypted, modifiers }: DatabaseServerInput,
): void {
  requireFlavor(engine, flavor);
  if (storage_encrypted && UNENCRYPTABLE_FLAVORS.test(flavor)) {
    throw invalid(path("storage_encrypted"), `${flavor} cannot be encrypted`);
  }
  if (engine !== AURORA) return;
  if (storage !== undefined) throw invalid(path("storage"), "aurora's storage grows by itself: omit the size");
  if (modifiers?.storage_type) throw invalid(path("modifiers.storage_type"), "aurora has a storage type of its own");
  if (modifiers?.multi_az) {
    const why = "aurora keeps its data in three zones by itself; add a replica in another zone to fail over to";
    throw invalid(path("modifiers.multi_az"), why);
  }
}
