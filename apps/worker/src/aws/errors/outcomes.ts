import { permanent, wait } from "./row.js";

/** Outcomes that errors of several subjects share. */
export const NO_CAPACITY = wait("AWS to have capacity", 60, 30);
export const NOT_OFFERED = permanent("AWS does not offer this flavor in this zone");
export const QUOTA_USED_UP = permanent(
  "A quota of the AWS account is used up; raise it with AWS or remove what is not needed",
);
