import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const apps = ["api", "worker"] as const;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "gantry-bundle-"));
  execFileSync(process.execPath, [join(root, "scripts/bundle.mjs"), folder], { stdio: "pipe" });
  for (const app of apps) {
    const source = join(root, "apps", app);
    const files = readdirSync(source).filter((name) => name !== "dist");
    for (const name of files) symlinkSync(join(source, name), join(folder, app, "apps", app, name));
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each(apps)("the bundle of the %s says what is missing, in short lines", (app) => {
  const program = join(folder, app, "apps", app, "dist/main.js");
  const { status, stderr } = spawnSync(process.execPath, [program], {
    encoding: "utf8",
    env: { PATH: process.env.PATH },
  });
  expect([status, stderr]).toEqual([1, expect.stringContaining("DATABASE_URL")]);
  expect(stderr.split("\n").filter((line) => line.length > 300)).toEqual([]);
});
