import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const json = (file: string) => JSON.parse(read(file)) as { version?: string };

const pages = ["", "docs", "docs/adr", "docs/aws", "docs/runbooks", "examples", "deploy/helm/gantry"].flatMap(
  (folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => join(folder, name)),
);

const { paths } = JSON.parse(read("openapi.json")) as {
  paths: Record<string, Record<string, { operationId: string }>>;
};
// `/docs` shows pages above its operations, so a page may link to an operation.
const operations = Object.values(paths).flatMap((methods) => Object.values(methods).map((each) => each.operationId));

/** Returns the anchors of a page's headings, as GitHub makes them. */
const anchorsOf = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-"),
  );

it("has no broken link in the docs", () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)#?([^)\s]*)[^)]*\)/g)]
      .map(([, path = "", anchor = ""]) => ({ target: join(path ? dirname(page) : page, path), anchor }))
      .filter(({ target, anchor }) => {
        if (!existsSync(join(root, target))) return true;
        if (!anchor || !target.endsWith(".md")) return false;
        return ![...anchorsOf(target), ...(target === page ? operations : [])].includes(anchor);
      })
      .map(({ target, anchor }) => `${page}: ${target}#${anchor}`),
  );
  expect(dead).toEqual([]);
});

it("names only calls that the API has", () => {
  const shape = (method: string, path: string) => `${method} ${path.replace(/\{\w+\}|:\w+|\b\d+\b/g, "…")}`;
  const calls = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => shape(method.toUpperCase(), path)),
  );
  // The changelog and the decisions may name calls of earlier versions.
  const current = pages.filter((page) => !/^CHANGELOG|^docs\/adr\//.test(page));
  const named = current.flatMap((page) =>
    [...read(page).matchAll(/\b(GET|POST|PUT|PATCH|DELETE) (\/(?!health\/)[\w/:{}-]+)/g)].map(
      ([, method = "", path = ""]) => ({ page, call: shape(method, path) }),
    ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(({ call }) => !calls.includes(call))).toEqual([]);
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
