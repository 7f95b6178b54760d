import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { addHashes, hashProblems } from "./migration-hashes.js";

const [FIRST, SECOND, THIRD] = ["20260101000000_first", "20260102000000_second", "20260103000000_third"] as const;
const fileOf = (name: string) => `prisma/migrations/${name}/migration.sql`;

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "gantry-hashes-"));
  for (const name of [FIRST, SECOND]) write(name, `-- ${name}`);
  writeFileSync(join(root, "prisma/migrations/migration_lock.toml"), "");
  addHashes(root);
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(name: string, sql: string): void {
  mkdirSync(join(root, "prisma/migrations", name), { recursive: true });
  writeFileSync(join(root, fileOf(name)), sql);
}

it("refuses a migration that was changed or removed since it landed, also after hashes were added", () => {
  expect(hashProblems(root)).toEqual([]);
  write(FIRST, "-- another");
  rmSync(join(root, "prisma/migrations", SECOND), { recursive: true });
  write(THIRD, "-- new");
  expect(addHashes(root)).toEqual([THIRD]);
  const remedy = "restore it and write a new migration with npm run migration -- NAME";
  expect(hashProblems(root)).toEqual([
    `${fileOf(FIRST)} has changed since it landed: ${remedy}`,
    `${fileOf(SECOND)} was removed since it landed: ${remedy}`,
  ]);
});

it("refuses a migration without a hash until its hash is added", () => {
  write(THIRD, "-- new");
  expect(hashProblems(root)).toEqual([expect.stringMatching(`^${fileOf(THIRD)} is not in .*: run npm run migration`)]);
  expect(addHashes(root)).toEqual([THIRD]);
  expect(hashProblems(root)).toEqual([]);
});

it("refuses a migration that comes before one that has landed", () => {
  write("20260101120000_early", "-- new");
  expect(() => addHashes(root)).toThrow(`20260101120000_early comes before ${SECOND}, which has landed`);
});
