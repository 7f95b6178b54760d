import { z } from "zod";
import { endpoints } from "../../resources/index.js";
import { HttpError } from "../errors/errors.js";
import type { Schema } from "../openapi/schemas.js";
import { parse } from "./input.js";

interface Parameter {
  path: string;
  isOptional: boolean;
  takesNull: boolean;
  /** A body with a value at the parameter's path, and the constants that choose the variants around it. */
  bodyWith(value: unknown): unknown;
}

/** The parameters of a body, at every depth and in every variant. */
function* parametersIn(schema: Schema, path: string[], bodyWith: Parameter["bodyWith"]): Generator<Parameter> {
  const { properties = {}, required = [], items, anyOf = [], oneOf = [] } = schema;
  for (const variant of [...anyOf, ...oneOf]) yield* parametersIn(variant, path, bodyWith);
  if (items) yield* parametersIn(items, [...path, "0"], (value) => bodyWith([value]));
  for (const [name, property] of Object.entries(properties)) {
    const own = [...path, name];
    const within = (value: unknown) => bodyWith({ ...constantsOf(properties), [name]: value });
    const isOptional = !required.includes(name);
    yield { path: own.join("."), isOptional, takesNull: takesNull(property), bodyWith: within };
    yield* parametersIn(property, own, within);
  }
}

function constantsOf(properties: Record<string, Schema>): Record<string, unknown> {
  const constants = Object.entries(properties).map(([name, { const: only, enum: values }]) => [
    name,
    only ?? values?.[0],
  ]);
  return Object.fromEntries(constants.filter(([, value]) => value !== undefined));
}

function takesNull({ type, anyOf = [], oneOf = [] }: Schema): boolean {
  return [type].flat().includes("null") || [...anyOf, ...oneOf].some(takesNull);
}

const bodies = endpoints.flatMap(({ route, body }) => {
  if (!body) return [];
  const schema = z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) as Schema;
  return [...parametersIn(schema, [], (value) => value)].map((parameter) => ({ route, schema: body, ...parameter }));
});

/** The paths of a body's refused parameters. */
function refusedIn(schema: z.ZodType, body: unknown): string[] {
  try {
    parse(schema, body);
    return [];
  } catch (error) {
    if (error instanceof HttpError) return error.extras.details?.map(({ path }) => path) ?? [];
    throw error;
  }
}

describe("null", () => {
  const optional = bodies.filter(({ isOptional, takesNull }) => isOptional && !takesNull);

  it("means absence for every optional parameter of every body, at every depth", () => {
    const refused = optional.filter(({ schema, path, bodyWith }) => {
      const [ofNull, ofAbsence] = [null, undefined].map((value) => refusedIn(schema, bodyWith(value)));
      return ofNull?.includes(path) && !ofAbsence?.includes(path);
    });
    expect(refused.map(({ route, path }) => `${route} ${path}`)).toEqual([]);
    expect(optional.map(({ path }) => path)).toEqual(
      expect.arrayContaining([
        "cluster_configuration.configuration.ip_id",
        "cluster_configuration.configuration.db_slaves",
        "cluster_configuration.configuration.utils.0.iops",
      ]),
    );
  });

  it("counts as missing for a required parameter", () => {
    const required = bodies.filter(({ isOptional, takesNull }) => !isOptional && !takesNull);
    const taken = required.filter(({ schema, path, bodyWith }) => !refusedIn(schema, bodyWith(null)).includes(path));
    expect(taken.map(({ route, path }) => `${route} ${path}`)).toEqual([]);
  });
});
