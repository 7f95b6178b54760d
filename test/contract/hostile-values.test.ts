import { createCaller, createEnvironment } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { sample } from "../support/sample.js";
import { accessOf, bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

/** Names that a look-up in a plain object finds in its prototype. */
const INHERITED = ["constructor", "__proto__", "toString", "hasOwnProperty"];
/** The first numbers that a column of 32 and of 64 bits cannot hold. */
const TOO_LARGE = [2 ** 31, 2 ** 63];

const { api, db, owner, provider } = await startApiTest({ settings: { RATE_LIMIT_PER_MINUTE: "1000000" } });
const { id: emptyEnvironment } = await createEnvironment(db, provider);
const fixtures = { ...(await fillAccount(api, owner, 2)) };
const staff = await createCaller(api, { staff: true, reason: "a test" });

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method as "get" | "post", operation })),
);

/** The paths with dots of the values of a type that a schema has. */
function valuesIn(schema: Schema, wanted: "string" | "integer", path = ""): string[] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const nested = [
    ...Object.entries(properties).flatMap(([key, each]) => valuesIn(each, wanted, path ? `${path}.${key}` : key)),
    ...(items ? valuesIn(items, wanted, `${path}.0`) : []),
    ...[...anyOf, ...oneOf].flatMap((variant) => valuesIn(variant, wanted, path)),
  ];
  return path && [schema.type ?? []].flat().includes(wanted) && !schema.enum ? [path, ...nested] : nested;
}

const bodies = operations.flatMap(({ path, method, operation }) => {
  const schema = bodyOf(operation);
  return schema ? [{ path, method, schema }] : [];
});
const sampledBodies = sample(bodies, 40, "hostile bodies");

async function statusesOf(path: string, method: "get" | "post", schema: Schema, values: [string, unknown][]) {
  const own = path.endsWith("/boot") ? { ...fixtures, environments: emptyEnvironment } : fixtures;
  const caller = accessOf(path, method).staff ? staff : owner;
  const body = sampleBody(schema, { fixtures: own, others: OTHERS }) as object;
  const answers = values.map(async ([field, value]) => {
    const { status } = await caller[method](fillPath(path, own), withValue(body, field, value));
    return { field, value, status };
  });
  return Promise.all(answers);
}

const isFault = ({ status }: { status: number }) => status >= 500;

it.each(sampledBodies)(
  "$method $path answers names of Object's prototype in every text without a fault",
  async (each) => {
    const { path, method, schema } = each;
    const fields = [...new Set(valuesIn(schema, "string"))];
    const values = fields.flatMap((field) =>
      sample(INHERITED, 1, `${method} ${path} ${field}`).map((name): [string, unknown] => [field, name]),
    );
    expect((await statusesOf(path, method, schema, values)).filter(isFault)).toEqual([]);
  },
);

it.each(sampledBodies)("$method $path responds without a fault to numbers that no column can store", async (each) => {
  const { path, method, schema } = each;
  const fields = [...new Set(valuesIn(schema, "integer"))];
  const values = fields.flatMap((field) => TOO_LARGE.map((number): [string, unknown] => [field, number]));
  expect((await statusesOf(path, method, schema, values)).filter(isFault)).toEqual([]);
});

const queries = operations.filter(({ method }) => method === "get").map(({ path, operation }) => ({ path, operation }));

it.each(sample(queries, 40, "hostile queries"))(
  "get $path answers too large numbers and inherited names in its query without a fault",
  async (each) => {
    const { path, operation } = each;
    const caller = accessOf(path, "get").staff ? staff : owner;
    const names = (operation.parameters ?? []).flatMap(({ in: place, name }) =>
      place === "query" && name !== "wait" ? [name] : [],
    );
    const answers = names.flatMap((name) =>
      [...TOO_LARGE.map(String), "constructor"].map(async (value) => {
        const { status } = await caller.get(`${fillPath(path, fixtures)}?${new URLSearchParams({ [name]: value })}`);
        return { name, value, status };
      }),
    );
    expect((await Promise.all(answers)).filter(isFault)).toEqual([]);
  },
);
