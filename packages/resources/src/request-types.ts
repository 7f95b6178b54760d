import type { z } from "zod";
import { databaseRequestTypes } from "./database-services/database-service.requests.js";
import type { RequestTypeDefinition } from "./declarations/request-type.js";
import { driftRequestTypes } from "./drift/drift.requests.js";
import { environmentRequestTypes } from "./environments/environment.requests.js";
import { iamRoleRequestTypes } from "./iam-roles/iam-role.requests.js";
import { networkRequestTypes } from "./networks/network.requests.js";
import { providerRequestTypes } from "./providers/provider.requests.js";
import { RESERVED_TYPES } from "./requests/reserved-types.js";
import { serverRequestTypes } from "./servers/server.requests.js";
import { tagRequestTypes } from "./tags/tag.requests.js";

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
