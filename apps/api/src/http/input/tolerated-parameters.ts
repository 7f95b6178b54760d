import type { Request as Input } from "express";
import qs from "qs";
import { z } from "zod";
import { invalid } from "../errors/errors.js";
import { isRecord, objectIn, schemaOfField, unwrapped } from "./input.js";
import { lastSegment } from "./references.js";

/** Parameters that clients send and that change nothing: they are accepted and ignored. */
export interface Tolerated {
  /** The endpoints, by their whole route, by a pattern of it, or by their kind. */
  route: string | RegExp | ((endpoint: ParsedEndpoint) => boolean);
  in: "body" | "query";
  /**
   * Names, with dots for nested ones. A name that ends with `*` matches all names with that prefix that are not the
   * endpoint's own.
   */
  names: readonly string[];
  /** `null`: only null is ignored. `same`: the value must name the same record as the path's parameter of its name. */
  only?: "null" | "same";
}

/** An endpoint as far as its parameters go. */
export interface ParsedEndpoint {
  route: string;
  method: string;
  body?: z.ZodType;
  alsoInQuery?: readonly string[];
  tolerated?: Tolerated[];
  reply: { schema?: z.ZodType; query?: z.ZodRawShape };
}

/** Adds to each endpoint the parameters that it accepts and ignores. */
export function withTolerated<Endpoint extends ParsedEndpoint>(
  table: readonly Tolerated[],
  endpoints: Endpoint[],
): Endpoint[] {
  return endpoints.map((each) => {
    const tolerated = table.filter((entry) => tolerates(entry, each));
    return tolerated.length > 0 ? { ...each, tolerated } : each;
  });
}

/** True if the endpoint accepts what the entry of the table names. */
export function tolerates({ route }: Tolerated, endpoint: ParsedEndpoint): boolean {
  if (typeof route === "function") return route(endpoint);
  return typeof route === "string" ? route === endpoint.route : route.test(endpoint.route);
}

/** The parts of an input that an endpoint parses. */
export interface Parameters {
  body: unknown;
  query: Record<string, unknown>;
}

/**
 * The parameters of an input, without those that the endpoint tolerates. A write without a body, with the content type
 * of forms, has its body in the query; other parameters of the body may be in the query if the endpoint allows it.
 *
 * @param own the names of the endpoint's query parameters
 * @throws 422 if a parameter that must name the record of the path names another one, or body and query differ in one
 */
export function parametersOf(endpoint: ParsedEndpoint, input: Input, own: readonly string[]): Parameters {
  const { search, isForm } = formIn(input);
  const sent =
    isForm && endpoint.method !== "GET"
      ? bodyInQuery(search, endpoint.body, own)
      : { body: input.body as unknown, query: search ? (input.query as Parameters["query"]) : {} };
  const all = endpoint.tolerated ? withoutAllTolerated(endpoint, sent, input, own) : sent;
  return endpoint.alsoInQuery ? withQueryInBody(endpoint, all) : all;
}

function withoutAllTolerated(
  endpoint: ParsedEndpoint,
  sent: Parameters,
  input: Input,
  own: readonly string[],
): Parameters {
  const params = input.params as Record<string, string>;
  const { own: filters, others } = partedBy(own, sent.query);
  return {
    body: withoutTolerated(endpoint, "body", sent.body, params),
    query: { ...filters, ...(withoutTolerated(endpoint, "query", others, params) as Parameters["query"]) },
  };
}

/** The parameters, with those in the body that the query holds instead. */
function withQueryInBody(
  { alsoInQuery = [], body: schema }: ParsedEndpoint,
  { body = {}, query }: Parameters,
): Parameters {
  if (!isRecord(body)) return { body, query };
  const { own, others } = partedBy(alsoInQuery, query);
  const moved = { ...body };
  for (const [name, value] of Object.entries(own)) {
    const outputOf = (input: unknown) => schema && childOf(schema, name)?.safeParse(input).data;
    if (moved[name] != null && outputOf(moved[name]) !== outputOf(value))
      throw invalid(name, "has different values in the body and the query");
    moved[name] ??= value;
  }
  return { body: moved, query: others };
}

function formIn(input: Input): { search: string; isForm: boolean } {
  const at = input.url.indexOf("?");
  const search = at < 0 ? "" : input.url.slice(at + 1);
  const isForm =
    input.body === undefined && /^application\/x-www-form-urlencoded\b/i.test(input.headers["content-type"] ?? "");
  return { search, isForm: isForm && search !== "" };
}

function withoutTolerated(
  { tolerated = [], body }: ParsedEndpoint,
  place: Tolerated["in"],
  value: unknown,
  params: Record<string, string>,
): unknown {
  let rest = value;
  for (const { names, only } of tolerated.filter((each) => each.in === place))
    for (const name of names.flatMap((each) => expanded(each, rest, body))) {
      const nested = nestedValue(rest, name);
      if (nested === undefined || (only === "null" && nested !== null)) continue;
      if (only === "same" && nested !== null && lastSegment(nested) !== params[name])
        throw invalid(name, `names a different ${name} than the path`);
      rest = without(rest, name);
    }
  return rest;
}

/**
 * The body that a query holds in Rails' nested form (`network[cidr]=10.0.0.0/16`; a bare key is null), with the numbers
 * and booleans that the schema asks for, and what is left of the query.
 */
function bodyInQuery(text: string, schema: z.ZodType | undefined, own: readonly string[]): Parameters {
  const all = qs.parse(text, { strictNullHandling: true, depth: 5, parameterLimit: 200, arrayLimit: 100 });
  const { own: query, others } = partedBy(own, all);
  return { body: typed(schema, others), query };
}

/** The endpoint's own query parameters, and the others. */
function partedBy(names: readonly string[], query: Parameters["query"]) {
  const entries = Object.entries(query);
  return {
    own: Object.fromEntries(entries.filter(([name]) => names.includes(name))),
    others: Object.fromEntries(entries.filter(([name]) => !names.includes(name))),
  };
}

/**
 * A value of texts as the schema has it: a text becomes a number, a boolean or null if the schema does not accept that
 * text.
 */
function typed(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return value;
  const object = objectIn(schema, value);
  if (object && isRecord(value))
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, typed(schemaOfField(object, name), each)]),
    );
  const list = unwrapped(schema);
  if (list instanceof z.ZodArray && Array.isArray(value))
    return value.map((each) => typed(list.element as z.ZodType, each));
  if (typeof value !== "string" || schema.safeParse(value).success) return value;
  if (value === "") return null;
  const meant = value === "true" || value === "false" ? value === "true" : Number(value);
  return schema.safeParse(meant).success ? meant : value;
}

/** The names that a name with `*` at its end matches: those in the value that the schema of the body does not know. */
function expanded(name: string, value: unknown, body: z.ZodType | undefined): string[] {
  if (!name.endsWith("*")) return [name];
  const path = name.slice(0, -1).split(".");
  const prefix = path.pop() ?? "";
  const parent = path.join(".");
  const inner = nestedValue(value, parent);
  const schema = path.reduce<z.ZodType | undefined>((at, key) => childOf(at, key), body);
  return Object.keys(isRecord(inner) ? inner : {})
    .filter((key) => key.startsWith(prefix) && !childOf(schema, key))
    .map((key) => `${parent}.${key}`);
}

function childOf(schema: z.ZodType | undefined, name: string): z.ZodType | undefined {
  const object = schema && objectIn(schema, {});
  return object && schemaOfField(object, name);
}

function nestedValue(value: unknown, name: string): unknown {
  return name.split(".").reduce<unknown>((at, key) => (isRecord(at) ? at[key] : undefined), value);
}

function without(value: unknown, name: string): unknown {
  const [key = "", ...rest] = name.split(".");
  if (!isRecord(value)) return value;
  if (rest.length > 0) return { ...value, [key]: without(value[key], rest.join(".")) };
  const { [key]: _, ...left } = value;
  return left;
}
