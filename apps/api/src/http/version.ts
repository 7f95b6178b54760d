import { createRequire } from "node:module";

/** The version of Gantry, as its packages have it. */
export const { version } = createRequire(import.meta.url)("../../package.json") as { version: string };
