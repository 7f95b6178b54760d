import { readdirSync, readFileSync } from "node:fs";
import { columnOf } from "./models.js";

const models = new URL("../../../prisma/models/", import.meta.url);
const mapped = readdirSync(models)
  .flatMap((file) => readFileSync(new URL(file, models), "utf8").split("\n"))
  .map((line) => /^\s+(\w+)\s.*[^@]@map\("([^"]+)"\)/.exec(line))
  .filter((match) => match !== null)
  .map(([, field, column]) => [field, column] as const)
  .filter(([field]) => field !== "secrets_read");

it("derives every mapped column of the schema from its field", () => {
  expect(mapped.length).toBeGreaterThan(50);
  for (const [field, column] of mapped) expect(columnOf(field as string)).toBe(column);
});
