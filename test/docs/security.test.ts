import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "@jest/globals";

const root = join(import.meta.dirname, "../..");
function tests(): string[] {
  const files = globSync("{apps,packages,scripts,test}/**/*.test.ts", {
    cwd: root,
    exclude: (name) => name === "node_modules" || name === "dist",
  });
  return files.map((file) => readFileSync(join(root, file), "utf8"));
}

it("each finding of the review is named in the title of a test", () => {
  const titles = tests().flatMap((text) => text.match(/\(findings? \d+[^)]*\)/g) ?? []);
  const named = new Set(titles.flatMap((title) => title.match(/\d+/g) ?? []).map(Number));
  expect(Array.from({ length: 24 }, (_, i) => i + 1).filter((finding) => !named.has(finding))).toEqual([]);
});
