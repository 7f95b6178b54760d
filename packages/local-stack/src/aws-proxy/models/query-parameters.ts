import type { Problem } from "./problem.js";
import type { ServiceModel, Shape, ShapeReference } from "./service-model.js";

/** Parameters by the parts of their names: `Filter.1.Name=x` is `{ Filter: { 1: { Name: "x" } } }`. */
interface Tree {
  [part: string]: Tree | string;
}

/** The result of a decoding: the input as the SDK's caller passed it, and what the model does not know. */
interface Decoded {
  input: unknown;
  problems: Problem[];
}

/** Decodes the parameters of a call in the protocol `query` or `ec2`. A value that does not fit its type stays a text. */
export function decodeQuery(model: ServiceModel, reference: ShapeReference, params: Record<string, string>): Decoded {
  const problems: Problem[] = [];
  const isEc2 = model.metadata.protocol === "ec2";
  const input = decode(reference, treeOf(params), "");
  return { input, problems };

  function decode(reference: ShapeReference, node: Tree | string, path: string): unknown {
    const shape = model.shapes[reference.shape] as Shape;
    if (shape.type === "structure") return typeof node === "string" ? node : structure(shape, node, path);
    if (shape.type === "list") return node === "" ? [] : list(shape, reference, node, path);
    if (shape.type === "map") return typeof node === "string" ? node : map(shape, reference, node, path);
    return typeof node === "string" ? scalar(shape.type, node) : node;
  }

  function structure({ members = {} }: Shape, node: Tree, path: string): unknown {
    const unknown = new Map(Object.entries(node));
    const decoded: Record<string, unknown> = {};
    for (const [name, reference] of Object.entries(members)) {
      const wireName = nameOf(name, reference);
      const value = unknown.get(wireName);
      if (value === undefined) continue;
      unknown.delete(wireName);
      decoded[name] = decode(reference, value, path ? `${path}.${name}` : name);
    }
    for (const name of unknown.keys()) {
      problems.push({ kind: "unknown", path: path ? `${path}.${name}` : name, reason: "is not in the model" });
    }
    return decoded;
  }

  function nameOf(name: string, { queryName, locationName, shape }: ShapeReference): string {
    if (isEc2) return queryName ?? (locationName ? upperFirst(locationName) : name);
    const { type, flattened, member } = model.shapes[shape] as Shape;
    const flatName = type === "list" && flattened ? member?.locationName : undefined;
    return flatName ?? locationName ?? name;
  }

  function list(shape: Shape, { flattened }: ShapeReference, node: Tree | string, path: string): unknown {
    const isFlat = isEc2 || flattened || shape.flattened;
    const elements = isFlat ? node : only(node, shape.member?.locationName ?? "member");
    const numbered = elements && numberedOf(elements);
    return numbered
      ? numbered.map((element, n) => decode(shape.member as ShapeReference, element, `${path}[${n}]`))
      : node;
  }

  function map(shape: Shape, { flattened }: ShapeReference, node: Tree, path: string): unknown {
    const numbered = numberedOf(flattened || shape.flattened ? node : (only(node, "entry") ?? {}));
    const [keyName, valueName] = [shape.key?.locationName ?? "key", shape.value?.locationName ?? "value"];
    if (!numbered) return "a malformed map";
    return Object.fromEntries(
      numbered.map((entry) => {
        const { [keyName]: key = "", [valueName]: value = "" } = typeof entry === "string" ? {} : entry;
        return [String(key), decode(shape.value as ShapeReference, value, `${path}.${key}`)];
      }),
    );
  }
}

function treeOf(params: Record<string, string>): Tree {
  const root: Tree = {};
  for (const [name, value] of Object.entries(params)) {
    if (name === "Action" || name === "Version") continue;
    const parts = name.split(".");
    const last = parts.pop() ?? "";
    let node = root;
    for (const part of parts) {
      const next = node[part];
      const child: Tree = typeof next === "object" ? next : {};
      node[part] = child;
      node = child;
    }
    node[last] = value;
  }
  return root;
}

/** The child with this name, if it is the only one. */
function only(node: Tree | string, name: string): Tree | string | undefined {
  return typeof node === "object" && Object.keys(node).length === 1 ? node[name] : undefined;
}

/** The children in the order of their numbers, from 1 without a gap, or undefined. */
function numberedOf(node: Tree | string): (Tree | string)[] | undefined {
  if (typeof node === "string") return undefined;
  const count = Object.keys(node).length;
  const elements = Array.from({ length: count }, (_, n) => node[String(n + 1)]);
  return elements.includes(undefined) ? undefined : (elements as (Tree | string)[]);
}

function scalar(type: string, text: string): unknown {
  if (type === "integer" || type === "long") return /^-?\d+$/.test(text) ? Number(text) : text;
  if (type === "float" || type === "double") return text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
  if (type === "boolean") return text === "true" || text === "false" ? text === "true" : text;
  if (type === "timestamp") return Number.isNaN(Date.parse(text)) ? text : Date.parse(text) / 1000;
  return text;
}

function upperFirst(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
