import { XMLParser } from "fast-xml-parser";

/** Parsed XML: an element without children is its text. */
export type Xml = string | Xml[] | { [name: string]: Xml };

const parser = new XMLParser({ parseTagValue: false, ignoreDeclaration: true, processEntities: true });

/** Parses XML and returns the contents of the outermost element. */
export function parseXml(text: string): Xml {
  const [root = ""] = Object.values(parser.parse(text) as Record<string, Xml>);
  return root;
}

/** Returns all elements at the end of a path; elements on the path may repeat. */
export function all(node: Xml | undefined, ...path: string[]): Xml[] {
  const [name, ...rest] = path;
  if (node === undefined) return [];
  if (Array.isArray(node)) return node.flatMap((element) => all(element, ...path));
  if (name === undefined) return [node];
  return typeof node === "string" ? [] : all(node[name], ...rest);
}

/** Returns the text at the end of a path, or an empty string. */
export function text(node: Xml | undefined, ...path: string[]): string {
  const [first = ""] = all(node, ...path);
  return typeof first === "string" ? first : "";
}
