import { readFileSync } from "node:fs";
import { join } from "node:path";
import * as declared from "@gantry/resources";

const root = join(import.meta.dirname, "../..");
const page = readFileSync(join(root, "docs/resources.md"), "utf8");
const { paths, components } = JSON.parse(readFileSync(join(root, "openapi.json"), "utf8"));

/** The declared changes of a resource, by the name of its table without the last word. */
const tableOf = (resource: string): object => {
  const name = `${resource.replace(/_(.)/g, (_all, letter) => letter.toUpperCase())}Changes`;
  return (declared as unknown as Record<string, object>)[name] ?? {};
};

const routes = Object.keys(paths).filter((path) => path.endsWith("/modify"));

it.each(routes)("POST %s takes the declared changes, and the page on resources names them", (path) => {
  const { $ref } = paths[path].post.requestBody.content["application/json"].schema;
  const { properties } = components.schemas[$ref.split("/").at(-1)];
  const resource = Object.keys(properties).find((name) => name !== "apply") as string;
  const { $ref: ofBody, properties: own } = properties[resource];
  const taken = Object.keys(own ?? components.schemas[ofBody.split("/").at(-1)].properties);
  const names = Object.keys(tableOf(resource));
  expect(names.length).toBeGreaterThan(0);
  expect(taken.toSorted()).toEqual(names.toSorted());
  const route = path.replace(/\{(\w+)\}/, ":$1");
  const row = page.split("\n").find((line) => line.startsWith(`| \`POST ${route}\``));
  expect([...(row?.split("|")[2] ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted()).toEqual(
    names.toSorted(),
  );
});
