import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * The password of a local server: a random one, which a file in the server's folder keeps for later starts. Only its owner
 * can read the file.
 */
export function localPassword(folder: string, server: "postgres" | "redis"): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${server}.password`);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}
