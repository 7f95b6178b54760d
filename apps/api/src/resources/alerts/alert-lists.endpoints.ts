import { Prisma } from "@gantry/db";
import { ALERT_TYPES, alert, SEVERITIES } from "@gantry/resources";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { equals, type Filter, indexedByValue, references, text, timestampFilter } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import type { Selection } from "../../http/rows/rows.js";
import { listChildren, listRecords } from "../record-endpoints.js";

const type: Filter = {
  value: z.enum(ALERT_TYPES),
  condition: (types) => {
    const isOf = (type: (typeof ALERT_TYPES)[number]) => types?.includes(type) ?? false;
    return Prisma.sql`((server_id IS NOT NULL AND ${isOf("server")})
      OR (database_server_id IS NOT NULL AND ${isOf("database_server")})
      OR (webhook_id IS NOT NULL AND ${isOf("webhook")}))`;
  },
};

const list = many(alert, {
  filters: {
    external_id: indexedByValue(text),
    name: indexedByValue(text),
    severity: indexedByValue(equals(z.enum(SEVERITIES))),
    started_at: timestampFilter,
    finished_at: timestampFilter,
    server: indexedByValue(references("server")),
    database_server: indexedByValue(references("databaseServer", "database_server_id")),
    environment: indexedByValue(references("environment")),
    type,
  },
});

export const alertListEndpoints = [
  listRecords("GET /alerts", "List alerts", list, "alert"),

  {
    ...listChildren(
      "GET /environments/:environment/alerts",
      "List the alerts on an environment's servers",
      list,
      "alert",
      "environment",
    ),
    alsoAs: { listEnvironmentServerAlerts: "GET /environments/:environment/server_alerts" } as const,
  },

  {
    ...listChildren("GET /servers/:server/alerts", "List the alerts on a server", list, "alert", "server"),
    alsoAs: { listServerServerAlerts: "GET /servers/:server/server_alerts" } as const,
  },

  endpoint({
    route: "GET /accounts/:account/server_alerts",
    summary: "List the alerts on an account's servers",
    reply: list,
    handle: async ({ params, caller }): Promise<Selection<"alert">> => {
      const { id } = await caller.find("account", params.account);
      const where = Prisma.sql`account_id = ${id} AND server_id IS NOT NULL`;
      return { model: "alert", where, within: ["account_id"] };
    },
  }),

  listChildren(
    "GET /database-servers/:database_server/alerts",
    "List the alerts on a database server",
    list,
    "alert",
    "databaseServer",
  ),

  endpoint({
    route: "GET /database-services/:database_service/alerts",
    summary: "List the alerts on a database service's servers",
    reply: list,
    handle: async ({ params, caller }): Promise<Selection<"alert">> => {
      const { id } = await caller.find("databaseService", params.database_service);
      const servers = Prisma.sql`SELECT id FROM database_servers WHERE database_service_id = ${id}`;
      return { model: "alert", where: Prisma.sql`database_server_id IN (${servers})` };
    },
  }),
];
