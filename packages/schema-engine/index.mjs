/**
 * Prisma's schema engine: its WebAssembly build on npm, over node-postgres. Prisma's commands would otherwise download a
 * native engine from outside the package registry.
 */
export { onServer, splitUrl } from "./connections.mjs";
export { applyMigrations } from "./migrations.mjs";
