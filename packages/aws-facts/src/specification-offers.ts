/** The servers' flavors that the specification lists, with what AWS says of them. */
export const SPECIFICATION_FLAVORS: readonly (readonly [name: string, vcpus: number, memoryGib: number])[] = [
  ["m3.medium", 1, 3.75],
  ["m3.large", 2, 7.5],
  ["m3.xlarge", 4, 15],
  ["c4.large", 2, 3.75],
  ["c4.xlarge", 4, 7.5],
  ["c3.large", 2, 3.75],
  ["c3.xlarge", 4, 7.5],
  ["r3.large", 2, 15.25],
  ["r3.xlarge", 4, 30.5],
  ["t2.micro", 1, 1],
  ["t2.small", 1, 2],
  ["t2.medium", 2, 4],
  ["t2.large", 2, 8],
  ["t2.xlarge", 4, 16],
  ["m4.large", 2, 8],
  ["m4.xlarge", 4, 16],
  ["r4.large", 2, 15.25],
  ["r4.xlarge", 4, 30.5],
];

/** The database engines and versions that the specification lists. `aurora` is its name for `aurora-mysql`. */
export const SPECIFICATION_VERSIONS: Readonly<Record<string, readonly string[]>> = {
  mysql: ["5.6.22", "5.6.23", "5.6.27", "5.6.29", "5.6.34", "5.6.35", "5.7.11", "5.7.16", "5.7.17"],
  postgres: ["9.4.7", "9.4.9", "9.4.11", "9.4.12", "9.5.2", "9.5.4", "9.5.6", "9.5.7", "9.6.3"],
  "aurora-mysql": ["5.6.10a"],
};

/** The database flavors that existed when the specification was written. */
export const SPECIFICATION_DATABASE_FLAVORS = [
  "db.t2.micro",
  "db.t2.small",
  "db.t2.medium",
  "db.m3.medium",
  "db.m3.large",
  "db.m4.large",
  "db.m4.xlarge",
  "db.r3.large",
  "db.r3.xlarge",
] as const;

// Aurora with MySQL 5.6 ran on these ("Aurora DB instance classes"); RDS encrypts all but db.t2.micro.
const AURORA_FLAVORS = /^db\.(r3\.|t2\.(small|medium)$)/;

/** True if an engine ran on a flavor of the specification's time. */
export function isSpecificationFlavor(engine: string, flavor: string): boolean {
  const isKnown = SPECIFICATION_DATABASE_FLAVORS.some((known) => known === flavor);
  return isKnown && (!engine.startsWith("aurora") || AURORA_FLAVORS.test(flavor));
}

/** True if RDS could encrypt a database server of a flavor of the specification's time. */
export function isEncryptable(flavor: string): boolean {
  return flavor !== "db.t2.micro";
}
