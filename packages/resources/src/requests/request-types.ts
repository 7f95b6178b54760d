import type { z } from "zod";
import { type RequestType, type ResourceType, requestTypes } from "../catalogue.js";
import type { RequestTypeDefinition } from "../declarations/request-type.js";
import { RESERVED_TYPES } from "./reserved-types.js";

export type InputOf<Type extends RequestType> = z.infer<(typeof requestTypes)[Type]["input"]>;

export type StageOf<Type extends RequestType> = (typeof requestTypes)[Type]["stages"][number];

type Definition = RequestTypeDefinition<RequestType, ResourceType>;

const definitions: Readonly<Record<RequestType, Definition>> = requestTypes;

/** The row of a type, or undefined for a type that this version does not carry out. */
export function requestTypeDefinition(type: RequestType): Definition;
export function requestTypeDefinition(type: string): Definition | undefined;
export function requestTypeDefinition(type: string): Definition | undefined {
  return Object.hasOwn(definitions, type) ? definitions[type as RequestType] : undefined;
}

/**
 * The types that the cancel of a parent cancels too. Removals are not among them: they may be how a parent undoes its
 * work, and half of one is of no use.
 */
export const TYPES_CANCELLED_WITH_PARENT: readonly RequestType[] = (Object.keys(requestTypes) as RequestType[]).filter(
  (type) => requestTypeDefinition(type).removes === undefined,
);

type Reserved = (typeof RESERVED_TYPES)[number];
// The compiler refuses a reserved type that this version carries out.
const reserved: readonly Exclude<Reserved, RequestType>[] = RESERVED_TYPES;

export type RequestTypeName = RequestType | Reserved;

/** Every type that the `type` filter accepts, in alphabetical order. */
export const REQUEST_TYPE_NAMES: readonly RequestTypeName[] = [
  ...(Object.keys(requestTypes) as RequestType[]),
  ...reserved,
].sort();
