import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** The checkout of Gantry that contains a folder. */
export function checkoutAbove(folder: string): string | undefined {
  const file = join(folder, "package.json");
  if (existsSync(file)) {
    const { name, scripts } = JSON.parse(readFileSync(file, "utf8")) as { name?: string; scripts?: { start?: string } };
    if (name === "gantry" && scripts?.start) return folder;
  }
  return dirname(folder) === folder ? undefined : checkoutAbove(dirname(folder));
}
