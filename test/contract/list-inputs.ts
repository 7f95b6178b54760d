import type { Fixtures } from "../support/fixtures.js";
import { accessOf, fillPath, type Operation, type Parameter, paths, type Schema } from "./document.js";
import { collectionNamed } from "./inputs.js";

/** A list of the API, as one GET asks for it. */
export interface ListInput {
  /** The path as the document has it. */
  route: string;
  path: string;
  /** The parameters of the query except those of pages. */
  query: string;
  /** Whether only staff may read it. */
  forStaff: boolean;
}

/** The values of an enum that are all measured; of a longer one the first and the last. */
const FEW = 8;
const OF_PAGES = new Set(["page", "per_page", "cursor", "after", "wait", "limit"]);
const ABSENT = { uuid: "0190c4a2-1111-7111-8111-111111111111", "date-time": "2020-01-01T00:00:00Z" };

/**
 * Every list of the document, bare and with each value of each parameter: none, those of an enum, that of a record in the list,
 * that of a record which the parameter names, and one that no row has.
 *
 * @param read answers a path with the bare list
 */
export async function listInputs(
  fixtures: Fixtures,
  read: (input: ListInput) => Promise<Record<string, unknown>[]>,
): Promise<ListInput[]> {
  const inputs: ListInput[] = [];
  for (const [path, { get }] of Object.entries(paths)) {
    if (!get || !isList(get)) continue;
    const bare = {
      route: path,
      path: fillPath(path, fixtures),
      query: "",
      forStaff: accessOf(path, "get").staff === true,
    };
    inputs.push(bare);
    const filters = (get.parameters ?? []).filter(({ name, in: place }) => place === "query" && !OF_PAGES.has(name));
    const [record = {}] = filters.length > 0 ? await read(bare) : [];
    for (const filter of filters) {
      // By itself it selects the records that have no value.
      inputs.push({ ...bare, query: filter.name });
      for (const value of valuesOf(filter, record, fixtures))
        inputs.push({ ...bare, query: `${filter.name}=${encodeURIComponent(value)}` });
    }
  }
  return inputs;
}

function isList({ parameters = [] }: Operation): boolean {
  return parameters.some(({ name }) => name === "per_page" || name === "after");
}

function valuesOf(parameter: Parameter & { schema?: Schema }, record: Record<string, unknown>, fixtures: Fixtures) {
  const { name, schema = {} } = parameter;
  const item = schema.items ?? schema;
  if (item.enum) {
    const all = item.enum.map(String);
    return all.length <= FEW ? all : [all[0] as string, all.at(-1) as string];
  }
  if (item.type === "boolean") return ["true"];
  const collection = collectionNamed(name, fixtures);
  if (collection) return [String(fixtures[collection])];
  const own = record[name];
  const values = typeof own === "string" || typeof own === "number" ? [String(own)] : [];
  const example = [parameter.example].flat()[0];
  if (values.length === 0 && example !== undefined) values.push(String(example));
  if (item.format === "date-time") values.push(String(record.created_at ?? ""), ABSENT["date-time"]);
  else if (item.format === "uuid") values.push(ABSENT.uuid);
  else if (item.type === "string" && !("pattern" in item)) values.push("nothing-has-this");
  return [...new Set(values)].filter((value) => value !== "");
}
