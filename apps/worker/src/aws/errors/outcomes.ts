import { permanent, wait } from "./row.js";

/** Outcomes that errors of several subjects share. */
export const NO_CAPACITY = wait("AWS to have enough capacity", 60, 30);
export const NOT_OFFERED = permanent("AWS does not offer this flavor in this zone");
export const QUOTA_USED_UP = permanent(
  "The AWS account has reached a quota; ask AWS to raise it, or remove unused resources",
);
