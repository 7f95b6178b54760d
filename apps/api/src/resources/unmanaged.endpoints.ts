import { wireRecord } from "@gantry/resources";
import { pascalCase } from "es-toolkit/string";
import { z } from "zod";
import { endpoint } from "../http/endpoint.js";
import { many } from "../http/reply/list.js";
import { onlyParameter } from "./record-endpoints.js";

// Records link to these collections. Remove a collection from the list when its resource is added.
const UNMANAGED = {
  account: {
    collection: "accounts",
    parts: ["account_notes", "addons", "features", "logical_databases", "ssl_certificates"],
  },
  application: { collection: "applications", parts: ["deployments", "environment_variables"] },
  databaseServer: { collection: "database-servers", parts: ["revisions"] },
  databaseService: { collection: "database-services", parts: ["databases", "connected_kubey_environments"] },
  environment: {
    collection: "environments",
    parts: ["deployments", "environment_variables", "kubey_cluster", "logical_databases"],
  },
  provider: { collection: "providers", parts: ["storages", "untracked_servers"] },
  server: { collection: "servers", parts: ["logs"] },
} as const;

const TOP_LEVEL = [
  "deployments",
  "environment-variables",
  "features",
  "load-balancers",
  "logical-databases",
  "logs",
  "ssl-certificates",
  "storages",
  "untracked-servers",
];

const nestedEndpoints = Object.entries(UNMANAGED).flatMap(([owner, { collection, parts }]) =>
  parts.map((name) =>
    endpoint({
      route: `GET /${collection}/:${owner}/${name}`,
      summary: `List ${name.replaceAll("_", " ")}; not supported, always empty`,
      isAlwaysEmpty: true,
      reply: many(emptyCollection(name)),
      handle: async ({ params, caller }) => {
        await caller.find(owner as keyof typeof UNMANAGED, onlyParameter(params));
        return [];
      },
    }),
  ),
);

/** Collections that this version does not manage: always empty. */
export const unmanagedEndpoints = [
  ...nestedEndpoints,
  ...TOP_LEVEL.map((collection) => {
    const name = collection.replaceAll("-", "_");
    return endpoint({
      route: `GET /${collection}`,
      // Clients use both spellings.
      alsoAs: name === collection ? {} : { [`listAll${pascalCase(collection)}`]: `GET /${name}` as const },
      summary: `List ${name.replaceAll("_", " ")}; not supported, always empty`,
      isAlwaysEmpty: true,
      reply: many(emptyCollection(name)),
      handle: () => [],
    });
  }),
];

function emptyCollection(plural: string) {
  return wireRecord({ name: plural, plural, record: z.object({}), computed: (_row: never) => ({}) });
}
