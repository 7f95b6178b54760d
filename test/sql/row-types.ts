import * as ast from "typescript/unstable/ast";
import { type Project, type Type, TypeFlags } from "typescript/unstable/sync";
import type { Column } from "./columns.js";

/** A call of `$queryRaw` in the product. */
export interface Query {
  path: string;
  firstLine: number;
  lastLine: number;
  /** The type of its rows. */
  row: Type;
}

const PRODUCT = /\/((?:apps|packages)\/[^/]+\/src\/(?!generated\/)(?!.*\.test\.).*)/;

/** Finds the calls of `$queryRaw` whose type argument says something about the columns. */
export function typedQueries({ program, checker }: Project): Query[] {
  return program.getSourceFileNames().flatMap((name) => {
    const path = PRODUCT.exec(name)?.[1];
    const file = path && program.getSourceFile(name);
    return file ? queriesIn(file, path) : [];
  });

  function queriesIn(file: ast.SourceFile, path: string): Query[] {
    const queries: Query[] = [];
    const lineOf = (position: number) => file.text.slice(0, position).split("\n").length;
    const visit = (node: ast.Node): undefined => {
      const row = isQuery(node) ? rowOf(node) : undefined;
      if (row) queries.push({ path, firstLine: lineOf(node.getStart()), lastLine: lineOf(node.end), row });
      node.forEachChild(visit);
    };
    visit(file);
    return queries;
  }

  function rowOf(query: ast.Node): Type | undefined {
    const argumentOf = (type?: Type) => (type?.isTypeReference() ? checker.getTypeArguments(type)[0] : undefined);
    // The type of a call is Promise<Row[]>.
    const row = argumentOf(argumentOf(checker.getTypeAtLocation(query)));
    if (!row || row.flags & (TypeFlags.Any | TypeFlags.Unknown | TypeFlags.NonPrimitive)) return undefined;
    return checker.getIndexInfosOfType(row).length > 0 ? undefined : row;
  }
}

function isQuery(node: ast.Node): boolean {
  const callee = ast.isTaggedTemplateExpression(node) ? node.tag : ast.isCallExpression(node) && node.expression;
  return callee ? ast.isPropertyAccessExpression(callee) && callee.name.text === "$queryRaw" : false;
}

/** The type of the values that the driver returns for a type of PostgreSQL (packages/db/src/client.test.ts). */
const VALUES: Record<string, string> = {
  text: "string",
  varchar: "string",
  name: "string",
  uuid: "string",
  bool: "boolean",
  int2: "number",
  int4: "number",
  float4: "number",
  float8: "number",
  int8: "bigint",
  timestamptz: "Date",
  bytea: "Uint8Array",
  json: "json",
  jsonb: "json",
  _text: "string[]",
  _varchar: "string[]",
  _uuid: "string[]",
  _int4: "number[]",
  _bool: "boolean[]",
};

/** Returns in what the columns of a statement differ from the type of its rows. */
export function differences({ checker }: Project, row: Type, columns: Column[]): string[] {
  const properties = new Map(
    checker.getPropertiesOfType(row).map((each) => [each.name, checker.getTypeOfSymbol(each) as Type]),
  );
  const missing = [...properties]
    .filter(([name, type]) => !columns.some((column) => column.name === name) && !valuesOf(type).has("undefined"))
    .map(([name]) => `no column is called ${name}`);
  return [...missing, ...columns.flatMap(differencesOf)];

  function differencesOf({ name, type, nullable }: Column): string[] {
    const property = properties.get(name);
    if (!property) return [`the type lacks the column ${name}`];
    const declared = `${checker.typeToString(property)} in the type`;
    const values = valuesOf(property);
    const value = VALUES[type];
    if (!value) return [`${name} is ${type}, for which VALUES in test/sql/row-types.ts has no entry`];
    if (values.has("any")) return [];
    const problems = [];
    if (!values.has(value) && (value !== "json" || values.has("Date")))
      problems.push(`${name} is ${type}, that is ${value}, but ${declared}`);
    if (nullable === true && !values.has("null")) problems.push(`${name} may be null, but is ${declared}`);
    if (nullable === false && values.has("null") && value !== "json")
      problems.push(`${name} is never null, but ${declared}`);
    return problems;
  }

  /** The kinds of values that a type admits, in the words of `VALUES`. */
  function valuesOf(type: Type): Set<string> {
    if (type.isUnionType()) return new Set(type.getTypes().flatMap((each) => [...valuesOf(each)]));
    const flag = FLAGS.find(([flags]) => type.flags & flags);
    if (flag) return new Set([flag[1]]);
    const name = type.getSymbol()?.name ?? "";
    if (["Date", "Uint8Array"].includes(name)) return new Set([name]);
    if (!checker.isArrayLikeType(type) || !type.isTypeReference()) return new Set(["json"]);
    const [element] = checker.getTypeArguments(type);
    return new Set(["json", ...[...(element ? valuesOf(element) : [])].map((each) => `${each}[]`)]);
  }
}

const FLAGS: [number, string][] = [
  [TypeFlags.Any | TypeFlags.Unknown, "any"],
  [TypeFlags.Null, "null"],
  [TypeFlags.Undefined, "undefined"],
  [TypeFlags.StringLike, "string"],
  [TypeFlags.NumberLike, "number"],
  [TypeFlags.BigIntLike, "bigint"],
  [TypeFlags.BooleanLike, "boolean"],
];
