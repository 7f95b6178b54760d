import type { DatabaseServer, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { notFound } from "../../http/errors.js";
import { idText } from "../../http/filters.js";
import { json } from "../../http/reply.js";
import { logsAndEventsUrl, metricsUrl } from "./console-links.js";
import { masterOf, requireServer } from "./database-service.rules.js";

const query = {
  database_server: idText("databaseServer").optional().describe("The server to look at: the master where absent"),
};

interface Asked {
  params: { database_service: string };
  query: { database_server?: unknown };
  caller: Caller;
  db: Tx;
}

export const databaseConsoleEndpoints = [
  endpoint({
    route: "GET /database-services/:database_service/logs",
    summary: "Show where AWS's console shows a database server's logs",
    query,
    reply: json(z.object({ logs_url: z.url() })),
    handle: async (asked) => ({ logs_url: logsAndEventsUrl(await shown(asked)) }),
  }),

  endpoint({
    route: "GET /database-services/:database_service/events",
    summary: "Show where AWS's console shows a database server's events",
    query,
    reply: json(z.object({ events_url: z.url() })),
    handle: async (asked) => ({ events_url: logsAndEventsUrl(await shown(asked)) }),
  }),

  endpoint({
    route: "GET /database-services/:database_service/metrics",
    summary: "Show where CloudWatch's console shows a database server's metrics",
    query,
    reply: json(z.object({ metrics_url: z.url() })),
    handle: async (asked) => ({ metrics_url: metricsUrl(await shown(asked)) }),
  }),
];

async function shown(asked: Asked): Promise<{ region: string; provisionedId: string }> {
  const server = await serverOf(asked);
  return { region: server.region, provisionedId: requireServer(server) };
}

async function serverOf({ params, query, caller, db }: Asked): Promise<DatabaseServer> {
  const service = await caller.find("databaseService", params.database_service);
  if (query.database_server === undefined) return masterOf(db, service);
  const server = await caller.find("databaseServer", String(query.database_server));
  if (server.databaseServiceId !== service.id) throw notFound();
  return server;
}
