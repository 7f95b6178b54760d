import { Prisma } from "@gantry/db";
import { endpoint } from "../../http/endpoint.js";
import { many } from "../../http/reply.js";
import { request } from "../../http/request.resource.js";
import { where } from "../../http/rows.js";
import { databaseServerSnapshot } from "../database-server-snapshots/database-server-snapshot.resource.js";
import { databaseServerFilters } from "../database-servers/database-server.filters.js";
import { databaseServer } from "../database-servers/database-server.resource.js";
import { message } from "../requests/part.resources.js";
import { requestFilters } from "../requests/request.filters.js";

export const databaseServicePartEndpoints = [
  endpoint({
    route: "GET /database-services/:database_service/servers",
    summary: "List a database's servers",
    reply: many(databaseServer, { filters: databaseServerFilters }),
    handle: async ({ params, caller }) =>
      where("databaseServer", {
        databaseServiceId: (await caller.find("databaseService", params.database_service)).id,
      }),
  }),

  endpoint({
    route: "GET /database-services/:database_service/snapshots",
    summary: "List the snapshots of a database's servers",
    reply: many(databaseServerSnapshot),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      const condition = Prisma.sql`database_server_id IN (SELECT id FROM database_servers WHERE database_service_id = ${id})`;
      return { model: "databaseServerSnapshot" as const, where: condition };
    },
  }),

  endpoint({
    route: "GET /database-services/:database_service/requests",
    summary: "List the requests on a database and its servers",
    reply: many(request, { filters: requestFilters }),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      return { model: "request" as const, where: isOnDatabase(id) };
    },
  }),

  endpoint({
    route: "GET /database-services/:database_service/messages",
    summary: "List what the requests on a database and its servers said while they ran",
    reply: many(message),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      const condition = Prisma.sql`request_id IN (SELECT id FROM requests WHERE ${isOnDatabase(id)})`;
      return { model: "requestMessage" as const, where: condition };
    },
  }),
];

function isOnDatabase(id: string): Prisma.Sql {
  return Prisma.sql`((resource_type = 'database_service' AND resource_id = ${id}) OR (resource_type = 'database_server'
    AND resource_id IN (SELECT id::text FROM database_servers WHERE database_service_id = ${id}::uuid)))`;
}
