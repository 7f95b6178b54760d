import { findServicePlan, SERVICE_PLANS } from "@gantry/resources";
import { z } from "zod";
import { invalid } from "../../http/errors/errors.js";

const LEVELS = SERVICE_PLANS.map(({ id }) => id);

export const serviceLevel = z
  .enum([...LEVELS, "self-service"])
  .transform((level) => findServicePlan(level)?.id ?? level)
  .describe("`self-service` is an alias of `platform-only`; level-2 and level-3 require Multi-AZ");

/** @throws 422 if the level requires Multi-AZ and the master does not have it */
export function requireLevel(level: string, multiAz: boolean): void {
  if (findServicePlan(level)?.multiAzRequired && !multiAz) {
    throw invalid("database_service.service_level", `${level} requires modifiers.multi_az`);
  }
}
