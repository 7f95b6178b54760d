import { z } from "zod";
import { invalid } from "../../http/errors.js";

const LEVELS = [
  "community",
  "standard",
  "premium",
  "platform-only",
  "level-1",
  "level-2",
  "level-3",
  "orphaned-012016",
  "standard-012016",
  "premium-012016",
] as const;

// `self-service` is another name of `platform-only`.
const ALIASES: Readonly<Record<string, string>> = { "self-service": "platform-only" };

export const serviceLevel = z
  .enum([...LEVELS, "self-service"])
  .transform((level) => ALIASES[level] ?? level)
  .describe("`self-service` is another name of `platform-only`; level-2 and level-3 demand Multi-AZ");

const NEED_MULTI_AZ: readonly string[] = ["level-2", "level-3"];

/** @throws 422 where the level demands Multi-AZ and the master has none */
export function requireLevel(level: string, multiAz: boolean): void {
  if (NEED_MULTI_AZ.includes(level) && !multiAz) {
    throw invalid("database_service.service_level", `${level} demands modifiers.multi_az`);
  }
}
