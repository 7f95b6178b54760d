import { z } from "zod";
import type { REQUEST_TYPES } from "./request-types.js";

export type RequestTypeName = (typeof REQUEST_TYPES)[number];

/** The kinds of records that a Request may work on, as its row and the ledger name them. */
export type ResourceType = "iam_role" | "network" | "provider" | "provider_location" | "subnet";

interface Operation {
  /** The type's name in `request_status`. */
  title: string;
  /** What the worker needs beyond the resource itself: frozen when the Request is accepted. */
  input: z.ZodObject;
  /** The stages in their order; the names are wire values. */
  stages: readonly [string, ...string[]];
  /** What a failure or a cancel leads to: removing what was made, or trying again later from where it stopped. */
  onFailure: "compensate" | "stop";
  /** True where the resource is still there afterwards, so that the Request links to it. */
  keepsResource: boolean;
  /** The time it may take in all, in minutes. */
  deadlineMinutes: number;
  /** The cloud objects it may make and remove, for the plan that a dry run shows. */
  creates?: readonly string[];
  removes?: readonly string[];
}

const none = z.object({});
const provision = { onFailure: "compensate", keepsResource: true, deadlineMinutes: 30 } as const;
const deprovision = { onFailure: "stop", keepsResource: false, deadlineMinutes: 60 } as const;
const discover = { onFailure: "stop", keepsResource: true, deadlineMinutes: 15 } as const;

/** What the implemented request types mean. The worker has a workflow for each; the compiler asks for it. */
export const OPERATIONS = {
  provision_provider: {
    ...provision,
    title: "Provision provider",
    input: none,
    stages: ["verify-credentials", "discover-locations"],
  },
  cancel_provider: {
    ...deprovision,
    title: "Cancel provider",
    input: none,
    stages: ["cancel"],
    keepsResource: true,
  },
  discover_provider_locations: {
    ...discover,
    title: "Discover provider locations",
    input: none,
    stages: ["discover_locations"],
  },
  discover_provider_location: {
    ...discover,
    title: "Discover provider location",
    input: none,
    stages: ["persist"],
  },
  provision_network: {
    ...provision,
    title: "Provision network",
    input: z.object({ skipSubnets: z.boolean() }),
    stages: ["create"],
    creates: ["vpc", "internet_gateway", "route_table", "subnet"],
  },
  deprovision_network: {
    ...deprovision,
    title: "Deprovision network",
    input: none,
    stages: ["destroy"],
    removes: ["route_table", "internet_gateway", "vpc"],
  },
  provision_subnet: {
    ...provision,
    title: "Provision subnet",
    input: none,
    stages: ["create"],
    creates: ["subnet"],
  },
  deprovision_subnet: {
    ...deprovision,
    title: "Deprovision subnet",
    input: none,
    stages: ["destroy"],
    removes: ["subnet"],
  },
  provision_iam_role: {
    ...provision,
    title: "Provision IAM role",
    input: none,
    stages: ["create"],
    creates: ["policy", "role", "instance_profile"],
  },
  deprovision_iam_role: {
    ...deprovision,
    title: "Deprovision IAM role",
    input: none,
    stages: ["destroy"],
    removes: ["instance_profile", "role", "policy"],
  },
} as const satisfies Partial<Record<RequestTypeName, Operation>>;

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
