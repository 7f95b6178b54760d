import { readEnv } from "@gantry/runtime";

/** The settings of apps that do not set others. */
export const DEFAULT_SETTINGS = readEnv({ DATABASE_URL: "-", MASTER_KEY: Buffer.alloc(32).toString("base64") });
