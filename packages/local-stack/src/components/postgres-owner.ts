import { createHash } from "node:crypto";
import { chownSync, existsSync, lstatSync, mkdirSync, readdirSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

/** The user that a process runs as. */
export interface Owner {
  uid: number;
  gid: number;
}

const NOBODY: Owner = { uid: 65534, gid: 65534 };

/** Returns the Unix user `nobody` for root, as PostgreSQL refuses to run as root, else undefined: the current user. */
export function postgresOwner(): Owner | undefined {
  return process.getuid?.() === 0 ? NOBODY : undefined;
}

/**
 * Creates `folder`, accessible only to `owner`, and returns its path. The path lies below the system's temporary
 * folder, the same at every start, with a link from `folder`, when `owner` cannot enter the parent folders.
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

/** Removes a folder with the substitutes that `ownedFolder` created for its direct subfolders. */
export function removeOwnedFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(substitute(resolve(folder, name)), { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
}

function substitute(folder: string): string {
  return join(tmpdir(), `gantry-data-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`);
}

/** Returns whether `owner` can enter `folder` and all its parents. */
export function canEnter(owner: Owner | undefined, folder: string): boolean {
  if (!owner) return true;
  const { mode, uid, gid } = statSync(folder);
  const bit = uid === owner.uid ? 0o100 : gid === owner.gid ? 0o010 : 0o001;
  const parent = dirname(folder);
  return (mode & bit) !== 0 && (parent === folder || canEnter(owner, parent));
}
