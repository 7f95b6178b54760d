import type { RequestType } from "@gantry/resources";
import type { RetryRule, RetryRules } from "../retry-rule.js";
import { findDestroyableEnvironment, findIdleEnvironment } from "./environment.rules.js";

const idleEnvironment: RetryRule<RequestType> = ({ caller, db, id }) => findIdleEnvironment(caller, db, id);

export const environmentRetries = {
  start_environment: null,
  scale_environment: null,
  configure_environment: idleEnvironment,
  deprovision_environment: idleEnvironment,
  destroy_environment: async ({ caller, db, id }) => findDestroyableEnvironment(caller, db, id),
} satisfies RetryRules;
