import { XMLParser } from "fast-xml-parser";

/** Parsed XML: an element without children is its text. */
export type Xml = string | Xml[] | { [name: string]: Xml };

const parser = new XMLParser({ parseTagValue: false, ignoreDeclaration: true, processEntities: true });

/** The contents of the outermost element. */
export function parseXml(text: string): Xml {
  const [root = ""] = Object.values(parser.parse(text) as Record<string, Xml>);
  return root;
}

/** Every element at the end of a path, whether an element on the way occurs once or often. */
export function all(node: Xml | undefined, ...path: string[]): Xml[] {
  const [name, ...rest] = path;
  if (node === undefined) return [];
  if (Array.isArray(node)) return node.flatMap((one) => all(one, ...path));
  if (name === undefined) return [node];
  return typeof node === "string" ? [] : all(node[name], ...rest);
}

/** The text at the end of a path; empty when there is none. */
export function text(node: Xml | undefined, ...path: string[]): string {
  const [first = ""] = all(node, ...path);
  return typeof first === "string" ? first : "";
}
