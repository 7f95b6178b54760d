import { countRows, createCaller, createEnvironment } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { accessOf, bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

const { api, db, owner, provider } = await startApiTest();
const { id: emptyEnvironment } = await createEnvironment(db, provider);
const fixtures = await fillAccount(api, owner, 2);
const staff = await createCaller(api, { staff: true, reason: "a test" });

/** The additional parts of a boot with a list of servers. */
const CUSTOM = { type: "custom", apps: { count: 1 } };

type Limited = Schema & { maximum?: number; maxLength?: number };

interface Parameter {
  path: string;
  schema: Limited;
  isRequired: boolean;
  /** What its object needs in addition, if the object is sent. */
  needed: string[];
}

/** The parameters of a body at every depth, by their paths with dots; not those of variants and lists. */
function parametersIn({ properties = {}, required = [] }: Schema, path = ""): Parameter[] {
  return Object.entries(properties).flatMap(([key, schema]) => {
    const own = path ? `${path}.${key}` : key;
    const needed = required.filter((name) => name !== key).map((name) => (path ? `${path}.${name}` : name));
    return [{ path: own, schema, isRequired: required.includes(key), needed }, ...parametersIn(schema, own)];
  });
}

const WRONG: Record<string, unknown> = {
  integer: "x",
  number: "x",
  boolean: "perhaps",
  string: 7,
  object: "x",
  array: 7,
};

/** Values that the schema does not accept; none if it has variants or accepts several types. */
function wrongValues({ type, anyOf, oneOf, minimum, maximum, maxLength, enum: values }: Limited): unknown[] {
  const types = [type ?? []].flat().filter((each) => each !== "null");
  if (anyOf || oneOf || types.length !== 1) return [];
  return [
    WRONG[types[0] ?? ""],
    ...(values ? ["no such value"] : []),
    ...(maxLength ? ["x".repeat(maxLength + 1)] : []),
    ...[(minimum ?? Number.NaN) - 1, (maximum ?? Number.NaN) + 1].filter(Number.isSafeInteger),
  ];
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) => {
    const schema = bodyOf(operation);
    return schema && accessOf(path, method).level !== "anyone" ? [{ method: method as "post", path, schema }] : [];
  }),
);

it.each(operations)(
  "$method $path names a parameter that is missing, unknown, of another type or beyond its limits",
  async (each) => {
    const { method, path, schema } = each;
    const isBoot = path.endsWith("/boot");
    const records = isBoot ? { ...fixtures, environments: emptyEnvironment } : fixtures;
    const more = isBoot ? { cluster_configuration: { configuration: CUSTOM } } : { email: "a@example.com" };
    const body = sampleBody(schema, { fixtures: records, others: { ...OTHERS, ...more } }) as object;
    const caller = accessOf(path, method).staff ? staff : owner;
    const before = await countRows(db);
    const send = async (name: string, value: unknown) => {
      const answer = await caller[method](fillPath(path, records), withValue(body, name, value));
      const { missing, unpermitted, details = [] } = answer.body;
      return [answer.status, missing ?? unpermitted ?? details.map((detail: { path: string }) => detail.path)];
    };
    const isSent = (name: string) =>
      name.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body) !==
      undefined;
    expect(await send("never_a_parameter", 1)).toEqual([422, ["never_a_parameter"]]);
    for (const { path: name, isRequired, needed, schema: own } of parametersIn(schema)) {
      if (isSent(name) && own.properties)
        expect(await send(`${name}.never_a_parameter`, 1)).toEqual([422, [`${name}.never_a_parameter`]]);
      if (isSent(name) && isRequired) expect([name, await send(name, undefined)]).toEqual([name, [422, name]]);
      if (!needed.every(isSent)) continue;
      for (const value of wrongValues(own))
        expect([name, value, await send(name, value)]).toEqual([name, value, [422, expect.arrayContaining([name])]]);
    }
    expect(await countRows(db)).toEqual(before);
  },
);

it("covers parameters of every type, at several depths", () => {
  const parameters = operations.flatMap(({ schema }) => parametersIn(schema));
  expect(parameters.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["network.skip_subnets", "database_server.backup_window.start_time.hour"]),
  );
  expect(parameters.filter(({ isRequired }) => isRequired).length).toBeGreaterThan(40);
});
