import { compilePattern } from "./patterns.js";
import type { Problem } from "./problem.js";
import type { ServiceModel, Shape, ShapeReference } from "./service-model.js";

const SECRET = /password|secret|token|userdata|privatekey|credential/i;
const MAX_SHOWN = 80;

/** Returns the problems of a call's input: types, required and unknown members, enums, patterns, lengths and ranges. */
export function checkInput(model: ServiceModel, reference: ShapeReference, input: unknown): Problem[] {
  const problems: Problem[] = [];
  check(reference, input, "");
  return problems;

  function check({ shape: name }: ShapeReference, value: unknown, path: string): void {
    const shape = model.shapes[name] as Shape;
    const add = (kind: Problem["kind"], reason: string) => {
      problems.push({ kind, path, reason, value: shownValue(value, path, shape) });
    };
    const checkType = CHECKS[shape.type];
    if (!checkType?.accepts(value)) {
      add("type", checkType ? `must be ${checkType.name}` : `has the type ${shape.type}, which nothing here can check`);
      return;
    }
    if (checkType.size) checkSize(shape, checkType.size(value), checkType.unit ?? "length", add);
    if (shape.type === "string") checkText(shape, value as string, add);
    if (shape.type === "structure") checkMembers(shape, value as Record<string, unknown>, path);
    if (shape.type === "list") {
      for (const [n, element] of (value as unknown[]).entries())
        check(shape.member as ShapeReference, element, `${path}[${n}]`);
    }
    if (shape.type === "map") {
      for (const [key, element] of Object.entries(value as Record<string, unknown>)) {
        check(shape.key as ShapeReference, key, `${path}.${key}`);
        check(shape.value as ShapeReference, element, `${path}.${key}`);
      }
    }
  }

  function checkMembers({ members = {}, required = [] }: Shape, value: Record<string, unknown>, path: string): void {
    const pathOf = (name: string) => (path ? `${path}.${name}` : name);
    for (const name of required) {
      if ((value[name] ?? undefined) !== undefined) continue;
      problems.push({ kind: "missing", path: pathOf(name), reason: "must not be null" });
    }
    for (const [name, element] of Object.entries(value)) {
      if ((element ?? undefined) === undefined) continue;
      const reference = members[name];
      if (reference) check(reference, element, pathOf(name));
      else problems.push({ kind: "unknown", path: pathOf(name), reason: "is not in the model" });
    }
  }
}

type Add = (kind: Problem["kind"], reason: string) => void;

function checkSize({ min, max }: Shape, size: number, unit: string, add: Add): void {
  if (min !== undefined && size < min) add("value", `must have ${unit} greater than or equal to ${min}`);
  if (max !== undefined && size > max) add("value", `must have ${unit} less than or equal to ${max}`);
}

function checkText({ enum: values, pattern }: Shape, text: string, add: Add): void {
  if (values && !values.includes(text)) add("value", `must satisfy enum value set: [${values.join(", ")}]`);
  if (!pattern) return;
  const expression = compilePattern(pattern);
  if (!expression) add("value", `has a pattern that nothing here can check: ${pattern}`);
  else if (!expression.test(text)) add("value", `must satisfy regular expression pattern: ${pattern}`);
}

interface TypeCheck {
  name: string;
  accepts(value: unknown): boolean;
  /** The size that a minimum and a maximum limit. */
  size?(value: unknown): number;
  /** What the size is; the length by default. */
  unit?: "value";
}

const ofLength = (name: string, accepts: TypeCheck["accepts"]): TypeCheck => {
  return { name, accepts, size: (value) => (value as { length: number }).length };
};
const ofValue = (name: string, accepts: TypeCheck["accepts"]): TypeCheck => {
  return { name, accepts, size: Number, unit: "value" };
};
const isObject = (value: unknown) => typeof value === "object" && !Array.isArray(value);
const isNumber = (value: unknown) => typeof value === "number";

const CHECKS: Record<string, TypeCheck> = {
  blob: { name: "base64", accepts: isBase64, size: (value) => Buffer.from(String(value), "base64").length },
  boolean: { name: "a boolean", accepts: (value) => typeof value === "boolean" },
  double: ofValue("a number", isNumber),
  float: ofValue("a number", isNumber),
  integer: ofValue("an integer", Number.isSafeInteger),
  list: ofLength("a list", Array.isArray),
  long: ofValue("an integer", Number.isSafeInteger),
  map: { name: "a map", accepts: isObject, size: (value) => Object.keys(value as object).length },
  string: ofLength("a string", (value) => typeof value === "string"),
  structure: { name: "a structure", accepts: isObject },
  timestamp: { name: "a timestamp", accepts: isNumber },
};

function isBase64(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z0-9+/]*={0,2}$/.test(value) && value.length % 4 === 0;
}

function shownValue(value: unknown, path: string, { sensitive }: Shape): string {
  if (sensitive || SECRET.test(path)) return "(removed)";
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
