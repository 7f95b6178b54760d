export { applyMigrations } from "@gantry/schema-engine";
export {
  auditRecordsOf,
  type ChainHead,
  findTampering,
  INSTALLATION_CHAIN,
  linkAuditRecords,
  linkChain,
  type Tampering,
} from "./audit.js";
export { auditHash } from "./audit-hash.js";
export { REDACTION, type Redaction, redactRecords } from "./audit-redaction.js";
export {
  connectDb,
  type Db,
  type PoolUse,
  plannedForValues,
  poolUse,
  readByKey,
  type Tx,
  writeRows,
} from "./client.js";
export { isRolledBack, isUnavailable, sqlState, violatedUnique } from "./database-errors.js";
export * from "./generated/client.js";
export { guarded } from "./guarded-pool.js";
export { insertInto, nextId, nextIds } from "./insert.js";
export {
  deriveInstallationKeys,
  type InstallationKeys,
  loadInstallationKeys,
  waitForInstallationKeys,
} from "./installation-keys.js";
export * from "./models.js";
export { isPooled } from "./pooler.js";
export { prepareDatabase } from "./prepare-database.js";
export { requireWrites } from "./require-writes.js";
export { type MasterKey, type SecretLocation, Vault } from "./secrets.js";
export { lowerServicesOf, type RevokedToken, revokeFamilies, revokeServicesOf } from "./token-families.js";
