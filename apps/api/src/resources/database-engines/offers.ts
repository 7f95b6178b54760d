import { invalid } from "../../http/errors.js";
import { DATABASE_FLAVORS, ENGINE_VERSIONS } from "./database-engines.js";

export const AURORA = "aurora";

// The sizes that Aurora with MySQL 5.6 runs on, and those that RDS cannot encrypt ("Overview of encrypting Amazon RDS").
const OF_AURORA = /^db\.(r3\.|t2\.(small|medium)$)/;
const UNENCRYPTED = /^db\.t2\.micro$/;

/** What was asked of a database server. */
export interface Wanted {
  engine?: string | undefined;
  version: string;
  flavor: string;
  storage?: number | undefined;
  storage_encrypted?: boolean | undefined;
  modifiers?: { multi_az?: boolean | undefined; storage_type?: string | undefined } | undefined;
}

const path = (name: string) => `database_server.${name}`;
const names = (known: string[]) => `known are ${known.join(", ")}`;

/**
 * The engine of a new database: the one that was named, or the only one that has the version.
 *
 * @throws 422 that names what there is instead
 */
export function requireEngine({ engine, version }: Pick<Wanted, "engine" | "version">): string {
  const engines = Object.keys(ENGINE_VERSIONS);
  if (engine !== undefined && !engines.includes(engine)) {
    throw invalid(path("engine"), `${engine} is not an engine: ${names(engines)}`);
  }
  const found = engines.find((each) => (engine ?? each) === each && ENGINE_VERSIONS[each]?.includes(version));
  if (found) return found;
  const known = engine ? (ENGINE_VERSIONS[engine] ?? []) : Object.values(ENGINE_VERSIONS).flat();
  throw invalid(path("version"), `${version} is not a version${engine ? ` of ${engine}` : ""}: ${names(known)}`);
}

/** @throws 422 where there is no such size, or not for this engine */
export function requireFlavor(engine: string, flavor: string): void {
  const offered = DATABASE_FLAVORS.map((each) => each.api_name).filter(
    (name) => engine !== AURORA || OF_AURORA.test(name),
  );
  if (!offered.includes(flavor)) {
    throw invalid(path("flavor"), `${flavor} is not a flavor for ${engine}: ${names(offered)}`);
  }
}

/** @throws 422 where the parts of what was asked do not fit each other */
export function requireFit(engine: string, { flavor, storage, storage_encrypted, modifiers }: Wanted): void {
  requireFlavor(engine, flavor);
  if (storage_encrypted && UNENCRYPTED.test(flavor)) {
    throw invalid(path("storage_encrypted"), `${flavor} cannot be encrypted`);
  }
  if (engine !== AURORA) return;
  if (storage !== undefined) throw invalid(path("storage"), "aurora's storage grows by itself; it takes no size");
  if (modifiers?.storage_type) throw invalid(path("modifiers.storage_type"), "aurora has a storage type of its own");
  if (modifiers?.multi_az) {
    const why = "aurora keeps its data in three zones by itself; add a replica in another zone to fail over to";
    throw invalid(path("modifiers.multi_az"), why);
  }
}
