import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * A local password, of a server or of the apps at PostgreSQL: a random one, which a file in `folder` keeps for later
 * starts. Only its owner can read the file.
 */
export function localPassword(folder: string, server: "postgres" | "redis" | "apps"): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${server}.password`);
  if (!existsSync(file)) writeFileSync(file, randomBytes(24).toString("hex"), { mode: 0o600 });
  return readFileSync(file, "utf8");
}

/** The address of a local database for the apps, whose user is not the owner of the tables. */
export function appDatabaseUrl(ownerUrl: string, folder: string): string {
  const url = new URL(ownerUrl);
  url.username = "gantry_apps";
  url.password = localPassword(folder, "apps");
  return url.toString();
}
