import type { z } from "zod";
import { databaseOperations } from "./operations/databases.js";
import { driftOperations } from "./operations/drift.js";
import { environmentOperations } from "./operations/environments.js";
import { iamRoleOperations } from "./operations/iam-roles.js";
import { networkOperations } from "./operations/networks.js";
import type { Operation } from "./operations/operation.js";
import { providerOperations } from "./operations/providers.js";
import { serverOperations } from "./operations/servers.js";

export type { RequestTypeName } from "./operations/operation.js";

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
export const OPERATIONS = {
  ...providerOperations,
  ...networkOperations,
  ...iamRoleOperations,
  ...environmentOperations,
  ...serverOperations,
  ...databaseOperations,
  ...driftOperations,
};

/** The types that this version carries out. */
export type OperationName = keyof typeof OPERATIONS;

export type InputOf<Name extends OperationName> = z.infer<(typeof OPERATIONS)[Name]["input"]>;

export type StageOf<Name extends OperationName> = (typeof OPERATIONS)[Name]["stages"][number];

/** What the table says of a type, or undefined where this version does not carry it out. */
export function operation(type: string): Operation | undefined {
  return Object.hasOwn(OPERATIONS, type) ? OPERATIONS[type as OperationName] : undefined;
}

/** Types whose Requests show no status and no links to stages and dependencies. */
export const QUIET_TYPES: readonly string[] = ["instance_update", "add_support_keys"];
