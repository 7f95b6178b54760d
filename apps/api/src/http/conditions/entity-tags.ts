import { createHmac, type KeyObject } from "node:crypto";
import type { Request as Input } from "express";
import { invalid } from "../errors/errors.js";

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/;
const LIST = new RegExp(`^[\\t ]*(?:,[\\t ]*)*${TAG.source}(?:[\\t ]*,(?:[\\t ]*${TAG.source})?)*[\\t ]*$`);

/** The tags of a header, without the mark of weak ones; or `*`, which means any record. */
type Tags = ReadonlySet<string> | "*";

/** The conditions under which a caller wants its call to be carried out. */
export interface Conditions {
  ifMatch: Tags | undefined;
  ifNoneMatch: Tags | undefined;
}

/**
 * Reads the conditions of an input.
 *
 * @throws 422 if a header is neither `*` nor a list of entity tags
 */
export function conditionsOf(input: Input): Conditions {
  return { ifMatch: tagsIn(input, "If-Match"), ifNoneMatch: tagsIn(input, "If-None-Match") };
}

/** The weak entity tag of what a record shows. The key keeps secrets in the content from being guessed. */
export function entityTag(content: unknown, key: KeyObject): string {
  return `W/"${createHmac("sha256", key).update(JSON.stringify(content)).digest("base64url").slice(0, 27)}"`;
}

/** Returns true if the header has this tag. All tags are weak, so that they are compared as weak ones. */
export function includes(tags: Tags, tag: string): boolean {
  return tags === "*" || tags.has(opaque(tag));
}

function tagsIn(input: Input, name: string): Tags | undefined {
  const value = input.get(name);
  if (value === undefined) return undefined;
  if (value.trim() === "*") return "*";
  if (!LIST.test(value))
    throw invalid(name, 'must be * or entity tags such as W/"5Zk1", as the header ETag shows them');
  return new Set([...value.matchAll(new RegExp(TAG, "g"))].map(([tag]) => opaque(tag)));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, "");
}
