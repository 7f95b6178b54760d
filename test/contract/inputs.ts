import { REGION, ZONE } from "../support/api.js";
import type { Fixtures } from "../support/fixtures.js";
import { SSH_KEYS } from "../support/ssh-keys.js";
import { type Schema, singularOf } from "./document.js";

/** The collections that parameters of a body or a query name, if the name is not the collection's singular. */
const REFERENCES: Readonly<Record<string, string>> = {
  application_id: "applications",
  blueprint_id: "blueprints",
  database_server_id: "database-servers",
  "environment.remove.0": "servers",
  "firewall_rule.source": "firewalls",
  iam_role_id: "iam_roles",
  owner: "users",
  ip_id: "addresses",
  replication_source: "database-servers",
  server_id: "servers",
  subnet_id: "subnets",
  "token.accounts.0": "accounts",
};

/** Values of a body's parameters that no schema shows. */
export const OTHERS = {
  "address.location": REGION,
  "application.type": "rails4",
  cluster_configuration: { configuration: { type: "solo" } },
  code_verifier: "v".repeat(43),
  credentials: { role_arn: "arn:aws:iam::123456789012:role/gantry" },
  "database_server.flavor": "db.m4.large",
  "database_server.storage": 200,
  "database_server.version": "9.6.3",
  "environment.roles.util": 5,
  "invitation.role": "member",
  "membership.role": "member",
  "service_token.role": "member",
  "firewall_rule.port_range": "8000-8100",
  "iam_role.policy": "EFSBackupPolicy",
  flavor: "m3.medium",
  installed: "0".repeat(64),
  location: ZONE,
  "network.cidr": "10.1.0.0/16",
  "network.location": REGION,
  "provider.type": "aws",
  public_key: SSH_KEYS.ed25519.publicKey,
  "auto_scaling_group.flavor": "m3.large",
  "server.flavor": "m3.large",
  "server.role": "app",
  "subnet.cidr": "10.0.200.0/24",
  "volume.size": 100,
  "webhook.url": "https://hooks.example.com/gantry",
};

/** Optional parameters of which a body needs one or the other: the one that a sample has. */
const CHOSEN = [
  "account.name",
  "api_token",
  "server_id",
  "replication_source",
  "volume.size",
  "database_server.storage",
  "environment.roles.util",
  "firewall_rule.port_range",
  "auto_scaling_group.flavor",
  "iam_role.policy",
  "restore.latest",
];

/** The collection whose record a parameter names, by its path with dots; undefined for parameters that name none. */
export function collectionNamed(path: string, fixtures: Fixtures): string | undefined {
  const name = nameIn(path);
  const named = REFERENCES[path] ?? REFERENCES[name];
  return named ?? Object.keys(fixtures).find((collection) => singularOf(collection) === name);
}

/** The values of a body's parameters: records by collection, others by path with dots or by name. */
export interface Values {
  fixtures: Fixtures;
  others: Readonly<Record<string, unknown>>;
}

/** A body that the schema accepts, with only its required parameters. */
export function sampleBody(schema: Schema, values: Values, path = ""): unknown {
  const { fixtures, others } = values;
  const known = others[path] ?? others[nameIn(path)];
  if (known !== undefined) return known;
  const collection = collectionNamed(path, fixtures);
  if (collection && !schema.properties) return fixtures[collection];
  if (schema.enum) return schema.enum[0];
  const [type] = [schema.type ?? []].flat();
  if (type === "object") {
    const { required = [], properties = {} } = schema;
    const chosen = Object.keys(properties).filter((key) => CHOSEN.includes(join(path, key)));
    const entries = [...required, ...chosen].map((key) => [
      key,
      sampleBody(properties[key] ?? {}, values, join(path, key)),
    ]);
    return Object.fromEntries(entries);
  }
  return { integer: schema.minimum ?? 1, boolean: true }[type ?? ""] ?? "x".repeat(12);
}

/** The parameters of a body that name records, optional ones too, by their paths with dots. */
export function referencesIn(schema: Schema, fixtures: Fixtures, path = ""): [path: string, collection: string][] {
  const { properties = {}, items, anyOf = [], oneOf = [] } = schema;
  const nested = [
    ...Object.entries(properties).flatMap(([key, property]) => referencesIn(property, fixtures, join(path, key))),
    ...(items ? referencesIn(items, fixtures, join(path, "0")) : []),
    ...[...anyOf, ...oneOf].flatMap((variant) => referencesIn(variant, fixtures, path)),
  ];
  const isId = schema.format === "uuid" || schema.format === "id";
  if (!isId && ![schema.type ?? []].flat().includes("integer")) return nested;
  const collection = collectionNamed(path, fixtures);
  if (!collection && (isId || path.endsWith("_id"))) {
    throw new Error(`${path} names a record: add its collection to REFERENCES in test/contract/inputs.ts`);
  }
  return collection ? [[path, collection]] : nested;
}

/** A copy of the body with another value at a path with dots. */
export function withValue(body: object, path: string, value: unknown): object {
  const copy = structuredClone(body) as Record<string, unknown>;
  const keys = path.split(".");
  const last = keys.pop() ?? "";
  let target = copy;
  for (const [i, key] of keys.entries()) {
    target[key] ??= (keys[i + 1] ?? last) === "0" ? [] : {};
    target = target[key] as Record<string, unknown>;
  }
  target[last] = value;
  // A boot accepts a blueprint or a configuration.
  if (last === "blueprint_id") delete target.configuration;
  if (last === "database_server_id") delete target.server_id;
  // A restore has one source.
  if (path === "restore.database_server_snapshot") delete target.latest;
  if (path.endsWith(".replication_source")) delete copy.replication_source;
  return copy;
}

const nameIn = (path: string) => path.split(".").at(-1) ?? "";
const join = (path: string, key: string) => (path ? `${path}.${key}` : key);
