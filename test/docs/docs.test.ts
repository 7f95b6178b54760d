import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const json = (file: string) => JSON.parse(read(file)) as { version?: string };

const pages = ["", "docs", "docs/adr", "examples", "deploy/helm/gantry"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

it("has no broken link in the docs", () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)]
      .map(([, target = ""]) => relative(root, join(root, dirname(page), target)))
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(dead).toEqual([]);
});

it("has one version for every package and the Helm chart", () => {
  const folders = ["apps", "packages"].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => join(folder, name)),
  );
  const versions = folders.map((folder) => json(join(folder, "package.json")).version);
  const chart = [...read("deploy/helm/gantry/Chart.yaml").matchAll(/^(?:appVersion|version): (.+)$/gm)];
  expect(chart).toHaveLength(2);
  expect(new Set([json("package.json").version, ...versions, ...chart.map(([, version]) => version)]).size).toBe(1);
});
