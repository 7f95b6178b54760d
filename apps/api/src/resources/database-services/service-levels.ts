import { z } from "zod";
import { invalid } from "../../http/errors.js";
import { SERVICE_PLANS, servicePlanOf } from "../service-plans/service-plans.js";

const LEVELS = SERVICE_PLANS.map(({ id }) => id);

export const serviceLevel = z
  .enum([...LEVELS, "self-service"])
  .transform((level) => servicePlanOf(level)?.id ?? level)
  .describe("`self-service` is another name of `platform-only`; level-2 and level-3 demand Multi-AZ");

/** @throws 422 where the level demands Multi-AZ and the master has none */
export function requireLevel(level: string, multiAz: boolean): void {
  if (servicePlanOf(level)?.multiAzRequired && !multiAz) {
    throw invalid("database_service.service_level", `${level} demands modifiers.multi_az`);
  }
}
