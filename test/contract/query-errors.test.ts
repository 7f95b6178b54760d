import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { sample } from "../support/sample.js";
import { accessOf, fillPath, type Parameter, paths, type Schema } from "./document.js";

const { api, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
const staff = await createCaller(api, { staff: true, reason: "a test" });

type Described = Parameter & { schema?: Schema & { pattern?: string; maxLength?: number } };

const parameters = Object.entries(paths).flatMap(([path, { get }]) =>
  ((get?.parameters ?? []) as Described[]).flatMap((each) => (each.in === "query" ? [{ path, ...each }] : [])),
);

/** Values that the schema of a parameter does not accept, if there are any. */
function wrongValues({ schema = {} }: Described): string[] {
  const item: Described["schema"] = schema.items ?? schema;
  const types = [item?.type ?? []].flat();
  if (item?.enum || types.includes("boolean") || types.includes("number")) return ["bogus", "1e"];
  if (types.includes("integer")) return ["bogus", "1.5", "-1"];
  if (item?.pattern && new RegExp(item.pattern).test("bogus")) return [];
  if (item?.format === "date-time" || item?.format === "uuid" || item?.pattern) return ["bogus"];
  return item?.maxLength ? ["x".repeat(item.maxLength + 1)] : [];
}

const cases = parameters.flatMap((each) => wrongValues(each).map((value) => ({ ...each, value })));

it.each(sample(cases, 300, "query errors"))(
  "GET $path names $name, and says what it is instead of $value",
  async ({ path, name, value, schema }) => {
    const caller = accessOf(path, "get").staff ? staff : owner;
    const sent = name.replace("[]", "");
    const forms = schema?.items ? [`${sent}=`, `${sent}[]=`, `${sent}[]=a&${sent}[]=`] : [`${sent}=`];
    for (const form of forms) {
      const { status, body } = await caller.get(`${fillPath(path, fixtures)}?${form}${value}`);
      const named = new Set(body.details?.map((detail: { path: string }) => detail.path));
      expect([form, status, [...named]]).toEqual([form, 422, [sent]]);
      for (const sentence of body.errors) expect(sentence).not.toMatch(/NaN|undefined|Invalid (input|option|ISO)/);
      expect(body.errors.at(-1)).toMatch(new RegExp(`^${sent}: .*"${value.slice(0, 20)}`));
    }
  },
);

const times = parameters.filter(({ schema = {} }) => (schema.items ?? schema).format === "date-time");

it.each(sample(times, 20, "times in queries"))(
  "GET $path accepts for $name a time as answers show it, with its + as it is",
  async ({ path, name }) => {
    const caller = accessOf(path, "get").staff ? staff : owner;
    const sent = name.replace("[]", "");
    for (const time of ["2026-11-26T00:00:00+00:00", "2026-11-26T00:00:00.123+05:30", "2026-11-26 00:00:00 +0000"]) {
      const answer = await caller.get(`${fillPath(path, fixtures)}?${sent}=${time.replaceAll(" ", "%20")}`);
      expect([time, answer.status, answer.body.errors]).toEqual([time, 200, undefined]);
    }
  },
);

it("covers parameters of every kind", () => {
  const names = cases.map(({ name }) => name.replace("[]", ""));
  expect(names).toEqual(
    expect.arrayContaining(["page", "since", "state", "type", "severity", "finding", "storage", "q"]),
  );
  expect(times.map(({ name }) => name)).toEqual(expect.arrayContaining(["since", "until", "finished_at"]));
});
