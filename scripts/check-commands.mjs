import { join } from "node:path";

const root = join(import.meta.dirname, "..");

/** The path of a program of a package. */
export const bin = (name) => join(root, "node_modules/.bin", name);

/** The command of an npm script. */
export const task = (...words) => [process.execPath, "scripts/run.mjs", ...words];
