import { createHash } from "node:crypto";
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The user a process runs as. */
export interface Owner {
  uid: number;
  gid: number;
}

const NOBODY: Owner = { uid: 65534, gid: 65534 };

/** PostgreSQL refuses to run as root: there it runs as nobody, elsewhere as whoever we are (undefined). */
export function postgresOwner(): Owner | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/**
 * Makes `folder` for `owner` alone and gives its path. Where `owner` may not pass through the folders above it,
 * the folder lies under the system's temporary one, the same at every start, and a link leads to it.
 */
export function ownedFolder(folder: string, owner: Owner | undefined): string {
  const wanted = resolve(folder);
  mkdirSync(dirname(wanted), { recursive: true });
  const path = canEnter(owner, dirname(wanted)) ? wanted : substitute(wanted);
  mkdirSync(path, { recursive: true, mode: 0o700 });
  if (path !== wanted && !existsSync(wanted)) symlinkSync(path, wanted);
  if (!owner) return path;
  const { uid } = lstatSync(path);
  if (uid !== owner.uid && uid !== 0) throw new Error(`${path} belongs to another user: remove it and start again.`);
  chownSync(path, owner.uid, owner.gid);
  return path;
}

/** Removes a folder, and the substitutes that `ownedFolder` made for folders directly in it. */
export function removeOwnedFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(substitute(resolve(folder, name)), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

function substitute(folder: string): string {
  return join(tmpdir(), `gantry-data-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`);
}

/** Whether `owner` may pass through `folder` and every folder above it. */
export function canEnter(owner: Owner | undefined, folder: string): boolean {
  if (!owner) return true;
  const { mode, uid, gid } = statSync(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  const above = dirname(folder);
  return (mode & bit) !== 0 && (above === folder || canEnter(owner, above));
}
