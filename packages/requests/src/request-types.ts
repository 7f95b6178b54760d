import type { z } from "zod";
import { databaseRequestTypes } from "./request-types/databases.js";
import type { RequestTypeDefinition } from "./request-types/definition.js";
import { driftRequestTypes } from "./request-types/drift.js";
import { environmentRequestTypes } from "./request-types/environments.js";
import { iamRoleRequestTypes } from "./request-types/iam-roles.js";
import { networkRequestTypes } from "./request-types/networks.js";
import { providerRequestTypes } from "./request-types/providers.js";
import { RESERVED_TYPES } from "./request-types/reserved.js";
import { serverRequestTypes } from "./request-types/servers.js";
import { tagRequestTypes } from "./request-types/tags.js";

/** The request types that this version carries out. The compiler asks for a workflow for each. */
export const requestTypes = {
  ...providerRequestTypes,
  ...networkRequestTypes,
  ...iamRoleRequestTypes,
  ...environmentRequestTypes,
  ...serverRequestTypes,
  ...databaseRequestTypes,
  ...driftRequestTypes,
  ...tagRequestTypes,
};

export type RequestType = keyof typeof requestTypes;

export type InputOf<Type extends RequestType> = z.infer<(typeof requestTypes)[Type]["input"]>;

export type StageOf<Type extends RequestType> = (typeof requestTypes)[Type]["stages"][number];

type Definition = RequestTypeDefinition<RequestType>;

const definitions: Readonly<Record<RequestType, Definition>> = requestTypes;

/** The row of a type, or undefined for a type that this version does not carry out. */
export function requestTypeDefinition(type: RequestType): Definition;
export function requestTypeDefinition(type: string): Definition | undefined;
export function requestTypeDefinition(type: string): Definition | undefined {
  return Object.hasOwn(definitions, type) ? definitions[type as RequestType] : undefined;
}

type Reserved = (typeof RESERVED_TYPES)[number];
// The compiler refuses a reserved type that this version carries out.
const reserved: readonly Exclude<Reserved, RequestType>[] = RESERVED_TYPES;

export type RequestTypeName = RequestType | Reserved;

/** Every type that the `type` filter accepts, in alphabetical order. */
export const REQUEST_TYPE_NAMES: readonly RequestTypeName[] = [
  ...(Object.keys(requestTypes) as RequestType[]),
  ...reserved,
].sort();
