import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Next to the migrations, because their folder belongs to Prisma. */
const FILE = "prisma/migration-hashes.json";

type Hashes = Record<string, string>;

/** Returns a sentence for each migration below `root` that was changed or removed since it landed, or has no hash. */
export function hashProblems(root: string): string[] {
  const [listed, present] = [listedHashes(root), presentHashes(root)];
  const names = [...new Set([...Object.keys(listed), ...Object.keys(present)])].sort();
  return names.flatMap((name) => problemOf(`prisma/migrations/${name}/migration.sql`, listed[name], present[name]));
}

function problemOf(file: string, listed: string | undefined, present: string | undefined): string[] {
  if (listed === undefined)
    return [`${file} is not in ${FILE}: run npm run migration -- --hash, which adds the hashes of new migrations`];
  const remedy = "restore it and write a new migration with npm run migration -- NAME";
  if (present === undefined) return [`${file} was removed since it landed: ${remedy}`];
  return present === listed ? [] : [`${file} has changed since it landed: ${remedy}`];
}

/**
 * Adds the hashes of migrations that have none; the others stay. Returns the names that it added.
 *
 * @throws an Error if one of them comes before a migration that has landed: a new database would get it earlier than the
 * databases that exist
 */
export function addHashes(root: string): string[] {
  const [listed, present] = [listedHashes(root), presentHashes(root)];
  const added = Object.keys(present).filter((name) => !(name in listed));
  const newest = Object.keys(listed).sort().at(-1) ?? "";
  const early = added.find((name) => name < newest);
  if (early)
    throw new Error(`prisma/migrations/${early} comes before ${newest}, which has landed: give it a later time`);
  const entries = Object.entries({ ...present, ...listed }).sort(([a], [b]) => (a < b ? -1 : 1));
  writeFileSync(join(root, FILE), `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`);
  return added;
}

function listedHashes(root: string): Hashes {
  const file = join(root, FILE);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
}

function presentHashes(root: string): Hashes {
  const folder = join(root, "prisma/migrations");
  const files = readdirSync(folder).map((name) => ({ name, file: join(folder, name, "migration.sql") }));
  return Object.fromEntries(
    files.filter(({ file }) => existsSync(file)).map(({ name, file }) => [name, hashOf(readFileSync(file))]),
  );
}

function hashOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
