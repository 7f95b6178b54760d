import { readFileSync } from "node:fs";
import { metricTables } from "@gantry/telemetry";
import { parse } from "yaml";

const root = new URL("../../", import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), "utf8");

interface Rule {
  alert: string;
  expr: string;
  annotations: { runbook: string };
}

const { groups } = parse(read("deploy/prometheus/rules.yaml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const documented = new Set(
  Object.values(metricTables()).flatMap((rows) =>
    rows.flatMap(({ name, type }) =>
      type === "histogram" ? ["_bucket", "_sum", "_count"].map((end) => name + end) : [name],
    ),
  ),
);

it.each(["deploy/prometheus/rules.yaml", "deploy/prometheus/rules.test.yaml", "deploy/grafana/gantry.json"])(
  "uses only metrics that Gantry exports: %s",
  (path) => {
    const used = [...new Set(read(path).match(/\bgantry_\w+/g))];
    expect(used.length).toBeGreaterThan(5);
    expect(used.filter((name) => !documented.has(name))).toEqual([]);
  },
);

it("has a runbook for every alert, and no other runbook", () => {
  const headings = [...read("docs/runbooks.md").matchAll(/^## (.+)$/gm)].map(([, heading]) => heading);
  expect(headings).toEqual(rules.map(({ alert }) => alert));
  for (const { alert, annotations } of rules)
    expect(annotations.runbook).toBe(`docs/runbooks.md#${alert.toLowerCase()}`);
});

it("tests that each alert fires", () => {
  const fired = read("deploy/prometheus/rules.test.yaml").match(/^ {8}alertname: (\w+)/gm) ?? [];
  expect(new Set(fired.map((line) => line.trim().slice("alertname: ".length)))).toEqual(
    new Set(rules.map(({ alert }) => alert)),
  );
});

it("has panels with different ids in one dashboard", () => {
  const { panels } = JSON.parse(read("deploy/grafana/gantry.json")) as {
    panels: { id: number; type: string; targets?: object[] }[];
  };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(panels.filter(({ type, targets = [] }) => type !== "row" && targets.length === 0)).toEqual([]);
});
