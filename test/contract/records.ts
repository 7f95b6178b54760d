/** A type of the specification; `?` may be null. */
export type FieldType =
  | "uuid"
  | "integer"
  | "integer?"
  | "number?"
  | "string"
  | "string?"
  | "boolean"
  | "timestamp"
  | "timestamp?"
  | "url"
  | "url?"
  | "url|false"
  | "object"
  | "object?"
  | "array"
  | "array?"
  | "null";

export type SpecifiedRecord = Readonly<Record<string, FieldType>>;

function all<Type extends FieldType>(type: Type, names: string): Record<string, Type> {
  return Object.fromEntries(names.split(" ").map((name) => [name, type]));
}

const ANY_REQUEST = {
  ...all("timestamp", "created_at started_at finished_at updated_at"),
  ...all("string?", "message read_channel"),
  ...all("boolean", "successful progress"),
  ...all("url", "account requester messages callback_url"),
  type: "string",
  id: "uuid",
  resource: "url|false",
  // Gantry's own.
  state: "string",
  percent: "integer",
  requested_by: "object",
  trace_id: "string",
  ...all("boolean", "can_cancel can_retry"),
  parent: "url?",
  action: "string?",
  subject: "object",
} as const;

/** The records of the specification: every field, and no other. */
export const RECORDS: Readonly<Record<string, SpecifiedRecord>> = {
  request: {
    ...ANY_REQUEST,
    ...all("string?", "stage"),
    ...all("url?", "dependencies stages"),
    request_status: "string",
  },
  "request of a quiet type": { ...ANY_REQUEST, ...all("null", "stage dependencies stages") },
  account: {
    ...all("string", "name billing_plan_support support_plan support_trial_status signup_via db_management_web_uri"),
    ...all("timestamp", "created_at updated_at"),
    ...all("boolean", "billable billing_required finalized"),
    ...all(
      "null",
      "account_trial billing_signup_url canceled_at cancelled_at cancellation plan referrals referrer_account support_trial",
    ),
    ...all(
      "url",
      "account_notes addons addresses applications database_services environments features logical_databases memberships",
    ),
    ...all("url", "owners providers requests server_alerts ssl_certificates users"),
    id: "uuid",
    emergency_contact: "string?",
    // Gantry's own.
    encryption: "string",
  },
  provider: {
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "provisioned_id type"),
    ...all("url", "account database_server_snapshots provider_locations servers storages untracked_servers"),
    id: "integer",
    cancelled_at: "timestamp?",
    permissions_boundary: "string?",
    shared: "boolean",
    name: "string?",
  },
  provider_location: {
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "location_id location_name"),
    ...all("object", "limits data"),
    ...all("url", "provider children compute_flavors"),
    id: "uuid",
    disabled_at: "timestamp?",
    disabled_reason: "string?",
    parent: "url?",
  },
  location: all("string", "id name"),
  flavor: {
    ...all("string", "id api_name name description"),
    ...all("boolean", "dedicated volume_optimized"),
    architecture: "integer",
    processor: "string",
    vcpus: "integer?",
    memory: "number?",
    zones: "array?",
    read_at: "timestamp?",
  },
  "database_server options": { flavors: "array", engine_versions: "object", read_at: "timestamp?" },
  database_service: {
    account: "url",
    ...all("url", "alerts databases messages requests servers snapshots service_plan provider"),
    ...all("url", "connected_kubey_environments"),
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "engine db_engine_type location name username password service_level version db_master_flavor"),
    ...all("integer", "email_alert_level db_replica_count connected_kubey_cluster_count"),
    ...all("string?", "notes vpc_name vpc_provisioned_id"),
    id: "uuid",
    deleted_at: "timestamp?",
    network: "url?",
    db_master_multi_az: "boolean",
    // Gantry's own.
    deletion_protection: "boolean",
    tags: "object",
  },
  database_server: {
    account: "url",
    ...all("url", "alerts firewalls messages revisions snapshots database_service provider"),
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "endpoint engine flavor location username password provisioned_id state storage_type version"),
    ...all("object", "modifiers preferred_maintenance_window backup_window"),
    ...all("integer", "storage backup_retention_period"),
    ...all("url?", "network replication_source"),
    id: "uuid",
    deleted_at: "timestamp?",
    storage_encrypted: "boolean",
    pending: "object?",
    iops: "integer?",
    certificate_authority: "string?",
    tags: "object",
  },
  message: {
    ...all("string?", "type resource stage"),
    id: "uuid",
    created_at: "timestamp",
    message: "string",
  },
  // Gantry's own.
  cloud_object: {
    ...all("string", "kind key region"),
    ...all("timestamp?", "attempted_at ready_at removed_at"),
    id: "string?",
    created_at: "timestamp",
  },
  network: {
    account: "url",
    // Gantry's own.
    private_subnets: "boolean",
    removal_started_at: "timestamp?",
    ...all("string", "cidr tenancy provisioned_id location"),
    ...all("url", "provider subnets"),
    id: "uuid",
    created_at: "timestamp",
    deleted_at: "timestamp?",
    tags: "object",
    name: "string?",
  },
  subnet: {
    account: "url",
    // Gantry's own.
    private: "boolean",
    nat_gateway: "string?",
    removal_started_at: "timestamp?",
    ...all("string", "provisioned_id cidr location"),
    id: "uuid",
    created_at: "timestamp",
    deleted_at: "timestamp?",
    network: "url",
    primary: "boolean",
    tags: "object",
  },
  keypair: {
    ...all("url?", "application user"),
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "fingerprint public_key"),
    id: "integer",
    name: "string?",
  },
  application: {
    ...all("string", "name language type repository"),
    ...all("timestamp", "created_at updated_at"),
    ...all("url", "account environments deployments keypairs environment_variables"),
    id: "integer",
    deleted_at: "timestamp?",
    archives: "null",
  },
  alert: {
    ...all("boolean", "acknowledged ignored"),
    ...all("timestamp", "created_at updated_at"),
    ...all("timestamp?", "started_at finished_at"),
    ...all("string", "description message name external_id severity type"),
    ...all("url", "resource account"),
    id: "uuid",
    environment: "url?",
  },
  environment: {
    ...all("url", "account alerts applications database_services deployments environment_variables keypairs"),
    ...all("url", "kubey_cluster logical_databases requests server_alerts servers snapshots"),
    ...all("boolean", "classic encrypted_database_ebs encrypted_ebs_for_everything lock_db_version upgrade_available"),
    ...all("timestamp", "created_at updated_at"),
    ...all("url?", "firewall auto_scaling_group network"),
    ...all("null", "monitor_url service_plan available_upgrade_web_uri custom_recipes vpc_name"),
    ...all("string", "internal_private_key internal_public_key name service_level database_stack deploy_method"),
    ...all("string", "framework_env language region release_label stack_name takeover_preference username"),
    ...all("integer", "id database_backup_interval database_backup_limit kubey_master_count kubey_node_count"),
    ...all("integer", "snapshot_limit snapshot_retention"),
    deleted_at: "timestamp?",
    kubey_logical_database_count: "null",
    vpc_provisioned_id: "string?",
    tags: "object",
  },
  server: {
    ...all("timestamp", "created_at updated_at provisioned_at"),
    ...all("timestamp?", "deleted_at deprovisioned_at disappeared_at keys_asked_at"),
    ...all("boolean", "enabled dedicated no_deploy keys_current"),
    ...all("string?", "name release_label latest_chef_log iam_role"),
    ...all("string", "private_hostname public_hostname provisioned_id state role location"),
    ...all("integer", "id ssh_port"),
    ...all("array", "devices chef_status"),
    ...all("url", "account environment events firewalls logs provider server_alerts snapshots volumes alerts"),
    ...all("url?", "address network subnet"),
    flavor: "object",
    tags: "object",
    // Gantry's own.
    pending: "object?",
  },
  iam_role: {
    account: "url",
    ...all("uuid", "id provisioner_id"),
    ...all("string", "name provisioned_id arn policy_arn path"),
    ...all("timestamp", "created_at updated_at"),
    ...all("boolean", "instance_profile user_managed_policy"),
    removal_started_at: "timestamp?",
    ...all("object", "policy assume_role_policy_document"),
    disappeared_at: "timestamp?",
    deleted_at: "timestamp?",
    provider: "url",
    tags: "object",
  },
  snapshot: {
    ...all("integer", "id progress size arch"),
    ...all("timestamp", "created_at updated_at"),
    ...all("string", "state grade"),
    ...all("url", "environment server volume provider account snapshot_server_request"),
    deleted_at: "timestamp?",
    region: "object",
    snaplocked: "boolean",
    mount: "null",
    tags: "object",
  },
  auto_scaling_group: {
    account: "url",
    ...all("string", "provisioned_id location_id flavor"),
    blueprint: "url?",
    ...all("integer", "minimum_size maximum_size desired_capacity"),
    id: "uuid",
    created_at: "timestamp",
    deleted_at: "timestamp?",
    disappeared_at: "timestamp?",
    environment: "url",
    tags: "object",
  },
};

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/;
const isText = (value: unknown, form: RegExp) => typeof value === "string" && form.test(value);
const isObject = (value: unknown) => typeof value === "object" && value !== null && !Array.isArray(value);

const CHECKS: Record<string, (value: unknown) => boolean> = {
  uuid: (value) => isText(value, UUID),
  integer: Number.isInteger,
  number: Number.isFinite,
  string: (value) => typeof value === "string",
  boolean: (value) => typeof value === "boolean",
  timestamp: (value) => isText(value, TIMESTAMP),
  url: (value) => isText(value, /^https?:\/\/[^/]+\/\S+$/),
  object: isObject,
  array: Array.isArray,
  null: (value) => value === null,
};

/** True if the value is of the type. */
export function isOfType(value: unknown, type: FieldType): boolean {
  if (type === "url|false") return value === false || CHECKS.url?.(value) === true;
  if (type.endsWith("?")) return value === null || CHECKS[type.slice(0, -1)]?.(value) === true;
  return CHECKS[type]?.(value) === true;
}
