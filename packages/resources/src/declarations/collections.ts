import { fieldOf, type Model, type Row, type SnakeCase, tableOf } from "@gantry/db";
import { EXAMPLE_UUID } from "./fields.js";

type IdType = "integer" | "uuid";

interface Collection<Id extends IdType = IdType> {
  /** Its path in the API. */
  path: string;
  id: Id;
}

type NumberedModel = { [M in Model]: Row<M> extends { id: number } ? M : never }[Model];

type Collections = Record<NumberedModel, Collection<"integer">> & {
  [M in Exclude<Model, NumberedModel>]?: Collection<"uuid">;
};

/** The collections of resources, and all others whose ids are integers. */
const collections = {
  account: { path: "accounts", id: "uuid" },
  address: { path: "addresses", id: "integer" },
  application: { path: "applications", id: "integer" },
  autoScalingGroup: { path: "auto_scaling_groups", id: "uuid" },
  databaseServer: { path: "database-servers", id: "uuid" },
  databaseServerSnapshot: { path: "database-server-snapshots", id: "uuid" },
  databaseService: { path: "database-services", id: "uuid" },
  drift: { path: "drift", id: "uuid" },
  environment: { path: "environments", id: "integer" },
  firewall: { path: "firewalls", id: "integer" },
  firewallRule: { path: "firewall-rules", id: "integer" },
  iamRole: { path: "iam_roles", id: "uuid" },
  keypair: { path: "keypairs", id: "integer" },
  network: { path: "networks", id: "uuid" },
  provider: { path: "providers", id: "integer" },
  providerLocation: { path: "provider-locations", id: "uuid" },
  server: { path: "servers", id: "integer" },
  snapshot: { path: "snapshots", id: "integer" },
  subnet: { path: "subnets", id: "uuid" },
  volume: { path: "volumes", id: "integer" },
} as const satisfies Collections;

/** A model with a collection above. */
export type CollectionModel = keyof typeof collections;

/** Its name as the type of a resource. */
export type CollectionType = SnakeCase<CollectionModel>;

const byModel: Partial<Record<string, Collection>> = collections;
const numberedTables: ReadonlySet<string> = new Set(
  (Object.keys(collections) as CollectionModel[]).filter((model) => collections[model].id === "integer").map(tableOf),
);

/** Returns the path of a resource type's collection, such as `iam_roles`. */
export function collectionOf(type: CollectionType): string {
  return collections[fieldOf(type) as CollectionModel].path;
}

/** Returns the type of the ids of a model or of a resource type. */
export function idTypeOf(type: Model | CollectionType): IdType {
  return byModel[fieldOf(type)]?.id ?? "uuid";
}

/** Returns the id of a record in examples, by its table or its collection, such as `servers`. */
export function exampleId(collection: string): string {
  return numberedTables.has(collection.replaceAll("-", "_")) ? "1" : EXAMPLE_UUID;
}
