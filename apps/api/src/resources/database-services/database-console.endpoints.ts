import type { DatabaseServer, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { notFound } from "../../http/errors/errors.js";
import { idText } from "../../http/lists/filters.js";
import { json } from "../../http/reply/reply.js";
import { requireProvisioned } from "../provisioned.js";
import { logsAndEventsUrl, metricsUrl } from "./database-console.links.js";
import { findMaster } from "./database-service.rules.js";

const query = {
  database_server: idText("databaseServer").optional().describe("The database server; the master if omitted"),
};

/** The server may not exist in AWS yet. */
const refusals = [409];

interface ConsoleInput {
  params: { database_service: string };
  query: { database_server?: unknown };
  caller: Caller;
  db: Tx;
}

export const databaseConsoleEndpoints = [
  endpoint({
    route: "GET /database-services/:database_service/logs",
    summary: "Show the URL of a database server's logs in the AWS console",
    query,
    reply: { ...json(z.object({ logs_url: z.url() })), refusals },
    handle: async (input) => ({ logs_url: logsAndEventsUrl(await findConsoleTarget(input)) }),
  }),

  endpoint({
    route: "GET /database-services/:database_service/events",
    summary: "Show the URL of a database server's events in the AWS console",
    query,
    reply: { ...json(z.object({ events_url: z.url() })), refusals },
    handle: async (input) => ({ events_url: logsAndEventsUrl(await findConsoleTarget(input)) }),
  }),

  endpoint({
    route: "GET /database-services/:database_service/metrics",
    summary: "Show the URL of a database server's metrics in the CloudWatch console",
    query,
    reply: { ...json(z.object({ metrics_url: z.url() })), refusals },
    handle: async (input) => ({ metrics_url: metricsUrl(await findConsoleTarget(input)) }),
  }),
];

async function findConsoleTarget(input: ConsoleInput): Promise<{ region: string; provisionedId: string }> {
  const server = await findRequestedServer(input);
  return { region: server.region, provisionedId: requireProvisioned("database_server", server) };
}

async function findRequestedServer({ params, query, caller, db }: ConsoleInput): Promise<DatabaseServer> {
  const service = await caller.find("databaseService", params.database_service);
  if (query.database_server === undefined) return findMaster(db, service);
  const server = await caller.find("databaseServer", String(query.database_server));
  if (server.databaseServiceId !== service.id) throw notFound();
  return server;
}
