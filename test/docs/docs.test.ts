import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (file: string) => readFileSync(join(root, file), "utf8");
const json = (file: string) => JSON.parse(read(file)) as { version?: string };

const pages = ["", "docs", "docs/adr", "docs/aws", "examples", "deploy/helm/gantry"].flatMap((folder) =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name)),
);

/** The fragments of a page's headings, as GitHub writes them. */
const fragments = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, "")
      .replace(/\s/g, "-"),
  );

it("has no broken link in the docs", () => {
  const dead = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!\w+:)([^)#]*)#?([^)]*)\)/g)].flatMap(([link, path = "", fragment = ""]) => {
      const target = path ? relative(root, join(root, dirname(page), path)) : page;
      // The API's first page has a heading for every operation, such as #createNetwork.
      const found = /[A-Z]/.test(fragment) || !fragment || !target.endsWith(".md");
      return existsSync(join(root, target)) && (found || fragments(target).includes(fragment))
        ? []
        : `${page}: ${link}`;
    }),
  );
  expect(dead).toEqual([]);
});

it("names only calls that the API has", () => {
  const { paths } = JSON.parse(read("openapi.json")) as { paths: Record<string, object> };
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

it("names only scripts of npm that exist, with flags that their programs have", () => {
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  const flagsOf = (script: string) => {
    const program = script.split(" ").find((word, i) => i > 1 && /\.m?[jt]s$/.test(word));
    return program ? [...read(program).matchAll(/--[a-z-]+/g)].map(([flag]) => flag) : [];
  };
  const called = pages.flatMap((page) =>
    [...read(page).matchAll(/\bnpm (?:run ([a-z:-]+)|(start|test))( -- [^`|)\n]*)?/g)].map(
      ([call, run, short, rest = ""]) => ({
        page,
        call,
        name: run ?? short ?? "",
        flags: rest.match(/--[a-z-]+/g) ?? [],
      }),
    ),
  );
  expect(called.length).toBeGreaterThan(20);
  const wrong = called.filter(({ name, flags }) => {
    const script = scripts[name];
    return !script || flags.some((flag) => flag !== "--help" && !flagsOf(script).includes(flag));
  });
  expect(wrong).toEqual([]);
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
