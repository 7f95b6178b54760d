import { z } from "zod";
import { endpoint } from "../http/endpoint.js";
import { many } from "../http/reply.js";
import { resource } from "../http/resource.js";

// Records link to these. A collection leaves the list when its resource comes.
const OF_ACCOUNTS = [
  "account_notes",
  "addons",
  "addresses",
  "applications",
  "database_services",
  "environments",
  "features",
  "logical_databases",
  "server_alerts",
  "ssl_certificates",
];
const OF_PROVIDERS = ["database_server_snapshots", "storages", "untracked_servers"];

/** Collections that this version does not manage: they are always empty. */
export const unmanagedEndpoints = [
  ...OF_ACCOUNTS.map((name) =>
    endpoint({
      route: `GET /accounts/:account/${name}`,
      summary: `List ${words(name)}: not managed, always empty`,
      reply: many(nothing(name)),
      handle: async ({ params, caller }) => {
        await caller.find("account", params.account);
        return [];
      },
    }),
  ),
  ...OF_PROVIDERS.map((name) =>
    endpoint({
      route: `GET /providers/:provider/${name}`,
      summary: `List ${words(name)}: not managed, always empty`,
      reply: many(nothing(name)),
      handle: async ({ params, caller }) => {
        await caller.find("provider", params.provider);
        return [];
      },
    }),
  ),
  endpoint({
    route: "GET /servers/:server/logs",
    summary: "List logs: not managed, always empty",
    reply: many(nothing("logs")),
    handle: async ({ params, caller }) => {
      await caller.find("server", params.server);
      return [];
    },
  }),
];

function nothing(plural: string) {
  return resource({ name: plural, plural, record: z.object({}), serialize: (_row: never) => ({}) });
}

function words(name: string): string {
  return name.replaceAll("_", " ");
}
