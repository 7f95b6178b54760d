export { applyMigrations } from "@gantry/schema-engine";
export { type Db, openDb, type Tx } from "./client.js";
export { isUnreachable, sqlState, violatedUnique } from "./failures.js";
export * from "./generated/client.js";
export { guarded } from "./guarded-pool.js";
export { columnOf, insertInto, nextId, nextIds } from "./insert.js";
export { type SecretPlace, Vault } from "./secrets.js";
