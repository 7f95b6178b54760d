import { z } from "zod";
import type { REQUEST_TYPES } from "./request-types.js";

export type RequestTypeName = (typeof REQUEST_TYPES)[number];

/** The kinds of records that a Request may work on, as its row and the ledger name them. */
export type ResourceType =
  | "address"
  | "auto_scaling_group"
  | "database_server"
  | "database_server_snapshot"
  | "database_service"
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
  /** What to do instead of retrying it, where a retry would not make sense. */
  insteadOfRetry?: string;
  /** The cloud objects it may make and remove, for the plan that a dry run shows. */
  creates?: readonly string[];
  removes?: readonly string[];
}

const none = z.object({});
const provision = { onFailure: "compensate", keepsResource: true, deadlineMinutes: 30 } as const;
const deprovision = { onFailure: "stop", keepsResource: false, deadlineMinutes: 60 } as const;
// Its resource can be read on, as deleted.
const remove = { ...deprovision, keepsResource: true } as const;
const change = { onFailure: "stop", keepsResource: true, deadlineMinutes: 30 } as const;
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
  start_environment: {
    ...provision,
    title: "Start environment",
    input: z.object({ serverIds: z.array(z.int()).min(1), addressId: z.int().nullable() }),
    stages: ["start", "wait-for-instance-updates"],
    deadlineMinutes: 120,
    insteadOfRetry: "boot the environment again",
    creates: ["key_pair", "security_group", "instance", "volume"],
  },
  deprovision_environment: {
    ...change,
    title: "Deprovision environment",
    input: none,
    stages: ["auto-scaling-group", "servers", "firewall"],
    deadlineMinutes: 120,
    removes: ["auto_scaling_group", "launch_template", "instance", "volume", "security_group", "key_pair"],
  },
  destroy_environment: {
    ...remove,
    title: "Destroy environment",
    input: none,
    stages: ["deprovision", "snapshots", "destroy"],
    deadlineMinutes: 180,
    removes: ["auto_scaling_group", "launch_template", "instance", "volume", "security_group", "key_pair", "snapshot"],
  },
  provision_default_firewall: {
    ...provision,
    title: "Provision default firewall",
    input: none,
    stages: ["create"],
    creates: ["key_pair", "security_group"],
  },
  provision_firewall_rule: {
    ...provision,
    title: "Provision firewall rule",
    input: none,
    stages: ["create"],
    creates: ["security_group_rule"],
  },
  deprovision_firewall_rule: {
    ...remove,
    title: "Deprovision firewall rule",
    input: none,
    stages: ["cleanup"],
    removes: ["security_group_rule"],
  },

  provision_server: {
    ...provision,
    title: "Provision server",
    input: z.object({ addressId: z.int().nullable() }),
    stages: ["server.prepare", "server.launch", "server.attach", "server.bootstrapped"],
    deadlineMinutes: 90,
    creates: ["instance", "volume"],
  },
  deprovision_server: {
    ...remove,
    title: "Deprovision server",
    input: none,
    stages: ["server.release", "server.terminate", "alerts.finish"],
    removes: ["instance", "volume"],
  },
  instance_update: {
    ...change,
    title: "Instance update",
    input: z.object({ action: z.enum(["apply", "start", "stop", "reboot"]) }),
    stages: ["update"],
    keepsResource: false,
  },
  discover_server: {
    ...discover,
    title: "Discover server",
    input: none,
    stages: ["reconcile"],
  },

  snapshot_server: {
    ...provision,
    title: "Snapshot server",
    input: z.object({ snapshotIds: z.array(z.int()).min(1) }),
    stages: ["snapshots.perform"],
    deadlineMinutes: 720,
    insteadOfRetry: "ask for another snapshot",
    creates: ["snapshot"],
  },
  deprovision_snapshot_request: {
    ...remove,
    title: "Deprovision snapshot",
    input: none,
    stages: ["destroy"],
    removes: ["snapshot"],
  },
  volume_provision: {
    ...provision,
    title: "Provision volume",
    input: none,
    stages: ["create"],
    creates: ["volume"],
  },
  attach_volume: {
    ...change,
    title: "Attach volume",
    input: z.object({ serverId: z.int(), device: z.string() }),
    stages: ["attach"],
  },
  detach_volume: {
    ...change,
    title: "Detach volume",
    input: none,
    stages: ["detach"],
  },
  deprovision_volume: {
    ...remove,
    title: "Deprovision volume",
    input: none,
    stages: ["destroy"],
    removes: ["volume"],
  },
  address_provision: {
    ...provision,
    title: "Provision address",
    input: none,
    stages: ["create"],
    creates: ["address"],
  },
  attach_address: {
    ...change,
    title: "Attach address",
    input: z.object({ serverId: z.int() }),
    stages: ["attach"],
  },
  detach_address: {
    ...change,
    title: "Detach address",
    input: none,
    stages: ["detach"],
  },
  deprovision_address_request: {
    ...remove,
    title: "Deprovision address",
    input: none,
    stages: ["destroy"],
    removes: ["address"],
  },

  provision_database_service: {
    ...provision,
    title: "Provision database service",
    input: none,
    stages: ["create-firewall", "create-master", "create-provider-credentials"],
    deadlineMinutes: 180,
    creates: [
      "security_group",
      "security_group_rule",
      "db_subnet_group",
      "db_parameter_group",
      "db_cluster",
      "db_instance",
    ],
  },
  deprovision_database_service: {
    ...remove,
    title: "Deprovision database service",
    input: z.object({ finalSnapshotId: z.uuid().nullable() }),
    stages: ["remove-replicas", "destroy"],
    deadlineMinutes: 240,
    creates: ["db_snapshot", "db_cluster_snapshot"],
    removes: ["db_instance", "db_cluster", "db_parameter_group", "db_subnet_group", "security_group"],
  },
  provision_database_server: {
    ...provision,
    title: "Provision database server",
    input: none,
    stages: ["create"],
    deadlineMinutes: 180,
    creates: ["db_instance"],
  },
  deprovision_database_server: {
    ...remove,
    title: "Deprovision database server",
    input: none,
    stages: ["destroy"],
    deadlineMinutes: 120,
    removes: ["db_instance"],
  },
  provision_database_server_snapshot: {
    ...provision,
    title: "Provision database server snapshot",
    input: none,
    stages: ["create"],
    deadlineMinutes: 720,
    creates: ["db_snapshot", "db_cluster_snapshot"],
  },
  deprovision_database_server_snapshot: {
    ...remove,
    title: "Deprovision database server snapshot",
    input: none,
    stages: ["destroy"],
    removes: ["db_snapshot", "db_cluster_snapshot"],
  },

  provision_auto_scaling_group: {
    ...provision,
    title: "Provision auto scaling group",
    input: z.object({ serverId: z.int() }),
    stages: ["create", "attach-app-master", "protect-app-master"],
    creates: ["launch_template", "auto_scaling_group"],
  },
  update_auto_scaling_group: {
    ...change,
    title: "Update auto scaling group",
    input: z.object({ minimumSize: z.int(), maximumSize: z.int(), desiredCapacity: z.int() }),
    stages: ["update"],
  },
  deprovision_auto_scaling_group: {
    ...remove,
    title: "Deprovision auto scaling group",
    input: none,
    stages: ["release-app-master", "destroy"],
    removes: ["auto_scaling_group", "launch_template"],
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
