export * from "./iam-policies.js";
export * from "./offers.js";
export * from "./regions.js";
export * from "./specification-offers.js";
export * from "./volume-limits.js";
