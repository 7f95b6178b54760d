import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { parametersOf, paths, singularOf } from "./document.js";
import { type ListInput, listInputs } from "./list-inputs.js";

type Row = Record<string, unknown>;

const { api, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 3);
const staff = await createCaller(api, { staff: true });

async function rowsOf({ path, query, forStaff }: ListInput): Promise<Row[] | undefined> {
  const { status, body } = await (forStaff ? staff : owner).get(`${path}?per_page=100&${query}`);
  if ([404, 422].includes(status)) return undefined;
  expect([path, query, status]).toEqual([path, query, 200]);
  return Object.values(body as Record<string, unknown>).find(Array.isArray) as Row[];
}

/** The ids that a field shows: a link's last part, the id of an object, or the value itself. */
function shown(value: unknown): string | undefined {
  if (typeof value === "object" && value !== null && "id" in value) return String(value.id);
  return ["object", "undefined"].includes(typeof value)
    ? undefined
    : String(value).replace(/^http:\/\/gantry\.test\/[^?]*\//, "");
}

const inputs = await listInputs(fixtures, async (input) => (await rowsOf(input)) ?? []);
const pagedWith = (path: string) => paths[path]?.get?.parameters?.some(({ name }) => name === "per_page");
const routes = [...new Set(inputs.map(({ route }) => route))].filter(pagedWith);
const compared = new Set<string>();

it.each(routes)("GET %s lists the records that show the value of a filter, and no others", async (route) => {
  const ofRoute = inputs.filter((input) => input.route === route);
  const [bare] = ofRoute;
  const rows = bare && (await rowsOf(bare));
  for (const input of ofRoute) {
    const [[name = "", value = ""] = []] = [...new URLSearchParams(input.query)];
    const field = name.replace("[]", "");
    if (!input.query.includes("=") || !rows?.some((row) => shown(row[field]) !== undefined)) continue;
    const found = await rowsOf(input);
    // A filter by a word that is no value of it is refused.
    if (!found) continue;
    const wanted = rows.filter((row) => shown(row[field]) === value);
    expect([input.query, found.map(({ id }) => id)]).toEqual([input.query, wanted.map(({ id }) => id)]);
    compared.add(`${route} ${field}`);
  }
});

const nested = routes.filter((route) => parametersOf(route).length === 1);

it.each(nested)("GET %s lists only records of the path's record", async (route) => {
  const [{ name, collection } = { name: "", collection: "" }] = parametersOf(route);
  const field = singularOf(collection);
  const parents = inputs.find(({ route: other }) => other === `/${collection}`);
  const own = (parents && (await rowsOf(parents))) ?? [];
  for (const { id } of own.slice(0, 3)) {
    const path = route.replace(`{${name}}`, String(id));
    const rows = (await rowsOf({ route, path, query: "", forStaff: false })) ?? [];
    for (const row of rows)
      if (shown(row[field]) !== undefined) expect([path, shown(row[field])]).toEqual([path, String(id)]);
    if (rows.some((row) => shown(row[field]) !== undefined)) compared.add(route);
  }
});

it("compares filters of most lists", () => expect(compared.size).toBeGreaterThan(60));
