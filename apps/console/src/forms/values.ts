import type { Operation, OperationField } from "./operation.js";

const MINUTE_MS = 60_000;

/** What a form holds: text or a flag for each path of a field. */
export type Values = Record<string, string | boolean>;

/** The values at which a form begins: those of a record, or else the defaults. */
export function initialValues(fields: readonly OperationField[], record: object | undefined): Values {
  return Object.fromEntries(fields.map((field) => [field.path, initialValue(field, record)]));
}

function initialValue(field: OperationField, record: object | undefined): string | boolean {
  const value = valueIn(record, field.path.split(".")) ?? field.default;
  if (field.kind === "flag") return value === true;
  if (value === null || value === undefined) return "";
  if (field.kind === "tags") return tagsText(value as Record<string, string>);
  if (field.kind === "list") return (value as string[]).join(", ");
  if (field.kind === "json") return JSON.stringify(value, null, 2);
  if (typeof value === "object") return String((value as { id?: unknown }).id ?? "");
  if (field.kind === "record") return String(value).split("/").at(-1) ?? "";
  if (field.kind === "time") return localTime(new Date(String(value)));
  return String(value);
}

/** The value of a record at a path, of which the body may have more names than the record. */
function valueIn(record: object | undefined, names: string[]): unknown {
  for (let first = 0; first < names.length; first++) {
    const value = names.slice(first).reduce<unknown>((place, name) => {
      const fields = place as Record<string, unknown> | null | undefined;
      return fields?.[name] ?? fields?.[name.replace(/_id$/, "")];
    }, record);
    if (value !== undefined && value !== null) return value;
  }
  return undefined;
}

/**
 * The body of an operation: what is required, and what a person has changed.
 *
 * @param fixed values by path that the person does not choose
 * @throws SyntaxError for text that is not JSON in a field of JSON
 */
export function bodyOf(
  { fields }: Pick<Operation, "fields">,
  { values, initial, fixed = {} }: { values: Values; initial: Values; fixed?: Record<string, unknown> | undefined },
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const field of fields.filter(({ isQuery }) => !isQuery)) {
    if (field.path in fixed) set(body, field.path, fixed[field.path]);
    else if (field.isRequired || values[field.path] !== initial[field.path]) {
      const value = parsed(field, values[field.path] ?? "");
      if (value !== undefined) set(body, field.path, value);
    }
  }
  return body;
}

/** The flags of the query that a person has changed. */
export function queryOf(
  { fields }: Pick<Operation, "fields">,
  values: Values,
  initial: Values,
): Record<string, boolean> {
  const changed = fields.filter(({ isQuery, path }) => isQuery && values[path] !== initial[path]);
  return Object.fromEntries(changed.map(({ path }) => [path, values[path] === true]));
}

function parsed(field: OperationField, value: string | boolean): unknown {
  if (typeof value === "boolean") return value;
  const text = field.kind === "secret" ? value : value.trim();
  if (field.kind === "tags") return tagsOf(text);
  if (field.kind === "list") return itemsOf(text);
  if (text === "") return field.isNullable ? null : field.isRequired && field.kind === "text" ? "" : undefined;
  if (field.kind === "number") return Number(text);
  if (field.kind === "time") return new Date(text).toISOString();
  if (field.kind === "json") return JSON.parse(text);
  return field.choices?.find((choice) => String(choice) === text) ?? text;
}

function set(body: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split(".");
  const last = names.pop() as string;
  let place = body;
  for (const name of names) {
    place[name] ??= {};
    place = place[name] as Record<string, unknown>;
  }
  place[last] = value;
}

/** The items of a list that a form holds as text. */
export function itemsOf(text: string): string[] {
  return text.split(",").flatMap((item) => item.trim() || []);
}

/** A time as an input of a browser shows it, in the zone of the browser. */
export function localTime(date: Date): string {
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}

/** Tags as text, one `key=value` a line. */
function tagsText(tags: Record<string, string>): string {
  return Object.entries(tags)
    .map(([key, value]) => `${key}=${value}`)
    .join("\n");
}

function tagsOf(text: string): Record<string, string> {
  const lines = text.split("\n").filter((line) => line.trim());
  return Object.fromEntries(
    lines.map((line) => {
      const [key = "", ...rest] = line.split("=");
      return [key.trim(), rest.join("=").trim()];
    }),
  );
}

const WORDS: Record<string, string> = {
  cidr: "CIDR block",
  ip: "address",
  iops: "IOPS",
  arn: "ARN",
  url: "URL",
  iam: "IAM",
  az: "AZ",
};

/** What a field is called: `network.private_subnets` → `Private subnets`. */
export function labelOf(path: string): string {
  const name = path.split(".").at(-1) ?? "";
  const words = name.replace(/_ids?$/, "").split("_");
  const text = words.map((word) => WORDS[word] ?? word).join(" ");
  return `${text[0]?.toUpperCase()}${text.slice(1)}`;
}
