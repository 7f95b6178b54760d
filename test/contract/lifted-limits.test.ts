import supertest from "supertest";
import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { bodyOf, fillPath, parametersOf, paths, type Schema, singularOf } from "./document.js";
import { withValue } from "./inputs.js";

const { api, db, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 2);
// Each change of the test is staff's, who may make all of them.
const staff = await createCaller(api, { staff: true, reason: "a test" });

const LIMIT = 7;

/** The paths with dots of the numbers of which the document says what null means. */
function limitsIn({ properties = {} }: Schema, path = ""): string[] {
  return Object.entries(properties).flatMap(([key, each]) => {
    const name = path ? `${path}.${key}` : key;
    const isNumber = [each.type ?? []].flat().includes("integer");
    return [...(isNumber && /\bnull\b/i.test(each.description ?? "") ? [name] : []), ...limitsIn(each, name)];
  });
}

const limits = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    limitsIn(bodyOf(operation) ?? {}).map((field) => ({ method: method as "put", path, field })),
  ),
);

/** The row that a path names, by column. */
async function readRow(path: string): Promise<Record<string, unknown>> {
  const collection = parametersOf(path).at(-1)?.collection ?? "";
  const model = singularOf(collection).replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return db[model as "account"].findUniqueOrThrow({ where: { id: String(fixtures[collection]) } });
}

const inForm = (path: string, field: string) => {
  const [first = "", ...others] = field.split(".");
  return `${path}?${first}${others.map((name) => `[${name}]`).join("")}`;
};

it.each(limits)("$method $path lifts $field for null, in JSON and in a form", async ({ method, path, field }) => {
  const [url, authorization] = [fillPath(path, fixtures), `Bearer ${staff.token}`];
  const lifts = [
    () => staff[method](url, withValue({}, field, null)),
    () =>
      supertest(api.app)
        [method](inForm(url, field))
        .set({ Authorization: authorization, "Gantry-Reason": "a test" })
        .type("form"),
  ];
  for (const lift of lifts) {
    expect((await staff[method](url, withValue({}, field, LIMIT))).status).toBe(200);
    const columns = Object.entries(await readRow(path)).flatMap(([name, value]) => (value === LIMIT ? [name] : []));
    expect(columns).toHaveLength(1);
    expect((await lift()).status).toBe(200);
    expect((await readRow(path))[columns[0] ?? ""]).toBeNull();
  }
});

it("knows the limits of accounts and of regions", () =>
  expect(new Set(limits.map(({ field }) => field)).size).toBeGreaterThan(2));
