import { fieldOf, type Model } from "@gantry/db";
import type { Schema } from "./openapi-schemas.js";
import { operationName, pascal } from "./operation-names.js";
import { isValidId } from "./rows.js";

const EXAMPLE_UUID = "0190c4a2-1111-7111-8111-111111111111";
const ROOT = "http://127.0.0.1:3000";

/** Realistic values of fields and parameters that are free text or numbers, by their names. */
const VALUES: Readonly<Record<string, unknown>> = {
  Action: "sts:AssumeRole",
  Resource: "*",
  Sid: "AllowEC2",
  Version: "2012-10-17",
  access_key_id: "AKIAIOSFODNN7EXAMPLE",
  action: "apply",
  active: "true",
  addresses: 5,
  after: "771-12",
  alternate_name: "us-east-1",
  answer: "",
  api_name: "t3.medium",
  api_token: "gantry_example",
  arn: "arn:aws:iam::123456789012:role/app",
  attempts: 1,
  autoscaling: 1,
  backup_retention_period: 7,
  billing_plan_support: "none",
  check: "credentials",
  cluster_configuration: { configuration: { type: "cluster" } },
  cidr: "10.0.0.0/16",
  cidrs: "203.0.113.0/24",
  code: "not_found",
  connected_kubey_cluster_count: 0,
  count: 2,
  creates: "network",
  current_password: "correct horse battery staple",
  cursor: "next",
  database_backup_interval: 24,
  database_backup_limit: 10,
  database_stack: "postgres16",
  db_engine_type: "postgres",
  db_master_flavor: "t3.medium",
  db_replica_count: 0,
  deploy_method: "git",
  description: "An example",
  desired_capacity: 2,
  device: "/dev/sdf",
  disabled_reason: "its account disabled it",
  duration: "0.5",
  email: "ada@example.com",
  email_alert_level: 1,
  emergency_contact: "+1 555 0100",
  endpoint: "postgres://db.example.com:5432",
  engine: "postgres",
  errors: "there is no such record",
  event: "771-12",
  events: "request.failed",
  external_id: "check-17",
  failures: 0,
  fingerprint: "SHA256:2jmj7l5rSw0yVb/vlWAYkK/YBwk",
  flavor: "t3.medium",
  framework_env: "production",
  grade: "standard",
  hash: "9f86d081884c7d659a2feaa0c55ad015",
  host: "app-1",
  hour: "03",
  image_parameter: "/aws/service/ami-amazon-linux-latest/al2023-ami-kernel-default-x86_64",
  installed: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  internal_public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIexample",
  iops: 3000,
  ip_address: "203.0.113.10",
  kind: "volume",
  kubey_master_count: 0,
  kubey_node_count: 0,
  language: "ruby",
  limit: 100,
  location: "us-east-1",
  location_id: "us-east-1",
  location_name: "US East (N. Virginia)",
  max_count: 4,
  max_monthly_usd: 120,
  maximum_size: 4,
  memory: 4,
  message: "the instance is running",
  minimum_size: 1,
  minute: "30",
  mnt_volume_size: 25,
  monthly_usd: 30.37,
  mount: "/data",
  name: "shop",
  nat_gateway: "nat-0123456789abcdef0",
  note: "an estimate",
  open_request_limit: 1000,
  page: 1,
  password: "correct horse battery staple",
  path: "network.cidr",
  per_page: 20,
  percent: 50,
  permissions_boundary: "arn:aws:iam::123456789012:policy/boundary",
  policy: "KubeyPolicy",
  policy_arn: "arn:aws:iam::123456789012:policy/app",
  port_range: "443",
  position: 17,
  prices_as_of: "2026-11-01",
  private_hostname: "ip-10-0-1-5.ec2.internal",
  progress: 0,
  provisioned_id: "vpc-0123456789abcdef0",
  public_hostname: "ec2-203-0-113-10.compute-1.amazonaws.com",
  public_key: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGhVqPxe2yYVtE9oGmVbA8nJMmJ9cDk8lXWZ2w0cRzTn ada@example.com",
  reason: "the role can be assumed",
  region: "us-east-1",
  release_label: "stable",
  remedy: "add the permission to the role",
  repository: "git@github.com:example/shop.git",
  request_status: "Provision network (create): running",
  role: "util",
  role_arn: "arn:aws:iam::123456789012:role/gantry",
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  secret_access_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  servers: 20,
  service_level: "community",
  severity: "warning",
  signup_via: "api",
  size: 25,
  size_gb: 25,
  snapshot_limit: 10,
  snapshot_retention: 7,
  source: "203.0.113.0/24",
  ssh_port: 22,
  stack_name: "stable-v7",
  stage: "create",
  state: "running",
  status: 200,
  storage: 100,
  storage_type: "gp3",
  subject: "server/3",
  support_plan: "none",
  support_trial_status: "none",
  takeover_preference: "none",
  tenancy: "default",
  throughput: 125,
  time_ago: "2 minutes ago",
  token: "0190c4a2-4444-7444-8444-444444444444",
  trace_id: "4bf92f3577b34da6a3ce929d0e0e4736",
  type: "aws",
  user_id: EXAMPLE_UUID,
  username: "gantry",
  vcpus: 2,
  version: "16.4",
  volume_size: 25,
  volume_type: "gp3",
  vpc_name: "shop",
  vpc_provisioned_id: "vpc-0123456789abcdef0",
  wait: 30,
  what: "the network vpc-0123456789abcdef0",
  zone: "us-east-1a",
  zones: "us-east-1a",
  id: "1",
  error: "the call failed: ECONNREFUSED",
  resource: `${ROOT}/networks/${EXAMPLE_UUID}`,
  read_channel: null,
  notes: "the database of shop",
  latest_chef_log: null,
  internal_private_key: null,
  db_management_web_uri: "https://console.aws.amazon.com/rds",
  Effect: "Allow",
  "Gantry-Reason": "ticket 4711: the owner asked for help",
  "Idempotency-Key": "2f1c9c1e-network-1",
  "Last-Event-ID": "771-12",
};

/** Times that most records do not have, because they have not ended. */
const ENDS = ["deleted_at", "deprovisioned_at", "disappeared_at"];

/** The id of a record in examples, by the name of the parameter that holds it. */
export function exampleId(parameter: string): string {
  return isValidId(fieldOf(parameter.replace(/_id$/, "")) as Model, 1) ? "1" : EXAMPLE_UUID;
}

/** The records and operations for which examples are made. */
interface Described {
  paths: Readonly<Record<string, object>>;
  components: { schemas: Readonly<Record<string, Schema>> };
}

/**
 * Returns an example of what a schema describes; undefined if no source has one.
 *
 * @param name that of the field or parameter
 * @param record the name of the schema that has the field
 */
export function exampleOf(schema: Schema, name: string, document: Described, record = ""): unknown {
  const { $ref, anyOf, oneOf, type, properties, items, format } = schema;
  if ($ref) {
    const other = $ref.split("/").at(-1) ?? "";
    return exampleOf(document.components.schemas[other] ?? {}, name, document, other);
  }
  if (schema.example !== undefined) return schema.example;
  if (schema.const !== undefined) return schema.const;
  if (schema.default !== undefined) return schema.default;
  if (schema.enum) return schema.enum.includes(VALUES[name]) ? VALUES[name] : schema.enum[0];
  const [variant] = [...(anyOf ?? []), ...(oneOf ?? [])];
  if (variant) return exampleOf(variant, name, document, record);
  const [first] = [type ?? []].flat();
  if (properties && typeof VALUES[name] === "object") return VALUES[name];
  if (properties) return exampleObject(schema, document, record);
  if (first === "array") {
    const element = exampleOf(items ?? {}, items?.format === "uri" ? name.replace(/s$/, "") : name, document, record);
    return element === undefined ? [] : [element];
  }
  if (first === "boolean") return false;
  if (first === "null") return null;
  if (first === "object") return {};
  if (format === "date-time" && ENDS.includes(name) && [type].flat().includes("null")) return null;
  if (format === "date-time") return "2026-11-24T09:00:00+00:00";
  if (format === "uuid" || format === "id") return EXAMPLE_UUID;
  if (format === "uri") return exampleUrl(name, record, document, [type].flat().includes("null"));
  if (first === "integer" || first === "number")
    return typeof VALUES[name] === "number" ? VALUES[name] : (schema.minimum ?? 1);
  return VALUES[name] === undefined || VALUES[name] === null ? VALUES[name] : String(VALUES[name]);
}

function exampleObject({ properties = {}, required }: Schema, document: Described, record: string): object {
  const names = required ?? Object.keys(properties);
  return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name] ?? {}, name, document, record)]));
}

/** Fields that refer to a record of the same kind. */
const OF_THE_SAME_KIND = ["parent", "replication_source", "url"];

/** Lists whose path does not end with the name of the field that links to them. */
const NAMED_OTHERWISE: Readonly<Record<string, string>> = {
  children: "/provider-locations/{provider_location_id}/provider-locations",
  compute_flavors: "/provider-locations/{provider_location_id}/flavors/compute",
  provider_locations: "/providers/{provider}/locations",
  subnets: "/subnets?network={network}",
};

/**
 * A URL that the document has: of a list under the record, or of the record that the field names. If there is none:
 * null, or what answers have, which is the URL that the list would have.
 */
function exampleUrl(field: string, record: string, { paths }: Described, isNullable: boolean): string | null {
  const pathOf = (name: string) =>
    Object.keys(paths).find(
      (path) =>
        /^\/[^/]+\/\{\w+\}$/.test(path) &&
        operationName("GET", path.replace(/\{(\w+)\}/, ":$1")) === `get${pascal(name)}`,
    );
  const own = pathOf(record);
  const below = [field, field.replaceAll("_", "-")].map((name) => `${own}/${name}`).find((path) => path in paths);
  const words = field.split("_");
  const named = words.map((_, index) => pathOf(words.slice(index).join("_"))).find(Boolean);
  const sameKind = OF_THE_SAME_KIND.includes(field) ? (own ?? pathOf("network")) : undefined;
  const anyKind = field === "resource" ? pathOf("server") : undefined;
  const path =
    below ?? NAMED_OTHERWISE[field] ?? named ?? sameKind ?? anyKind ?? (isNullable ? undefined : `${own}/${field}`);
  return path ? `${ROOT}${path.replace(/\{(\w+)\}/g, (_, name: string) => exampleId(name))}` : null;
}
