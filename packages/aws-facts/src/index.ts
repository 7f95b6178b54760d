export * from "./iam-policies.js";
export * from "./offers.js";
export { BOUNDARY_NAME } from "./policies/database-and-role.statements.js";
export type { StatementRule } from "./policies/statement-rule.js";
export * from "./policies/statements.js";
export * from "./regions.js";
export * from "./specification-offers.js";
export * from "./volume-limits.js";
