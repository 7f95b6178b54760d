import type { z } from "zod";
import { databaseRequestTypes } from "./request-types/databases.js";
import type { RequestTypeDefinition } from "./request-types/definition.js";
import { driftRequestTypes } from "./request-types/drift.js";
import { environmentRequestTypes } from "./request-types/environments.js";
import { iamRoleRequestTypes } from "./request-types/iam-roles.js";
import { networkRequestTypes } from "./request-types/networks.js";
import { providerRequestTypes } from "./request-types/providers.js";
import { serverRequestTypes } from "./request-types/servers.js";

export type { RequestTypeName } from "./request-types/definition.js";

/** The kinds of records that a Request may work on, as its row and the ledger name them. */
export type ResourceType =
  | "address"
  | "auto_scaling_group"
  | "database_server"
  | "database_server_snapshot"
  | "database_service"
  | "drift"
  | "environment"
  | "firewall"
  | "firewall_rule"
  | "iam_role"
  | "network"
  | "provider"
  | "provider_location"
  | "server"
  | "snapshot"
  | "subnet"
  | "volume";

/** What the implemented request types mean. The worker has a workflow for each; the compiler asks for it. */
export const requestTypes = {
  ...providerRequestTypes,
  ...networkRequestTypes,
  ...iamRoleRequestTypes,
  ...environmentRequestTypes,
  ...serverRequestTypes,
  ...databaseRequestTypes,
  ...driftRequestTypes,
};

/** The types that this version carries out. */
export type RequestType = keyof typeof requestTypes;

export type InputOf<Name extends RequestType> = z.infer<(typeof requestTypes)[Name]["input"]>;

export type StageOf<Name extends RequestType> = (typeof requestTypes)[Name]["stages"][number];

/** What the table says of a type, or undefined where this version does not carry it out. */
export function requestTypeDefinition(type: string): RequestTypeDefinition | undefined {
  return Object.hasOwn(requestTypes, type) ? requestTypes[type as RequestType] : undefined;
}

/** Types whose Requests show no status and no links to stages and dependencies. */
export const QUIET_TYPES: readonly string[] = ["instance_update", "add_support_keys"];
