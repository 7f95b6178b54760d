import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const folder = join(import.meta.dirname, "../../apps/console");
const sources = join(folder, "src");
const texts = globSync("**/*.tsx", { cwd: sources }).map((file) => readFileSync(join(sources, file), "utf8"));
const ids = new Set(texts.flatMap((text) => text.match(/(?<=")operation:\w+(?=")/g) ?? []));
const { operations } = await import(pathToFileURL(join(folder, "operations.plugin.mjs")).href);
const { load } = operations();

it("hints of forms say what a person does, not what a caller of the API sends", () => {
  const hints = [...ids].flatMap((id) => {
    const { fields }: { fields: { path: string; hint?: string }[] } = JSON.parse(
      (load(`\0${id}`) ?? "").replace(/^export default (.*);$/s, "$1"),
    );
    return fields.map(({ path, hint = "" }) => `${id} ${path}: ${hint}`);
  });
  expect(hints.length).toBeGreaterThan(200);
  expect(
    hints.filter((hint) => /[`{}]|\b(null|omitted|absent|boolean|(true|false) (to|for|by))\b/i.test(hint)),
  ).toEqual([]);
});
