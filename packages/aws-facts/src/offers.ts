// Type aliases: an interface is not assignable to JSON.

/** The zones in which a region offers each instance type. */
export type ComputeOffers = Record<string, string[]>;

/** A version of a database engine that new databases can have. */
export type EngineVersion = {
  version: string;
  /** Such as `16` or `8.4`. */
  major: string;
  /** True for the version that is meant if only the major version is named. */
  isDefault: boolean;
  /** The versions to which RDS upgrades it; absent before Gantry has read them. */
  upgrades?: string[];
  /** The ids of the CAs of its certificates; absent before Gantry has read them. */
  certificateAuthorities?: string[];
  /** True if it changes its certificate without a restart. */
  changesCertificateRunning?: boolean;
};

/** The conditions under which an engine runs on an instance class. */
export type DatabaseClassOffer = {
  zones: string[];
  storageTypes: string[];
  isEncryptable: boolean;
};

export type EngineOffer = {
  versions: EngineVersion[];
  /** By name, such as `db.t4g.medium`. */
  classes: Record<string, DatabaseClassOffer>;
};

/** The database engines that a region offers, by AWS's name. */
export type DatabaseOffers = Record<string, EngineOffer>;

/** The database engines that Gantry provisions, by AWS's name. */
export const DATABASE_ENGINES = ["postgres", "mysql", "aurora-postgresql", "aurora-mysql"] as const;

/** The specification's name for `aurora-mysql`. */
export const SPECIFICATION_AURORA = "aurora";

/** AWS's name of an engine. */
export function rdsEngineName(engine: string): string {
  return engine === SPECIFICATION_AURORA ? "aurora-mysql" : engine;
}

/** True for an engine whose servers share a cluster's storage. */
export function isAurora(engine: string): boolean {
  return engine.startsWith(SPECIFICATION_AURORA);
}

/** Sorts names with numbers by the numbers: `8.4.9` before `8.4.10`. */
export function compareVersions(a: string, b: string): number {
  return a.localeCompare(b, "en", { numeric: true });
}
