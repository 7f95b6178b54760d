import { Prisma } from "@gantry/db";
import { request } from "@gantry/records";
import { endpoint } from "../../http/endpoint.js";
import { many } from "../../http/reply.js";
import { requestList } from "../requests/request.filters.js";
import { message } from "../requests/request-parts.resource.js";

export const databaseServiceRequestEndpoints = [
  endpoint({
    route: "GET /database-services/:database_service/requests",
    summary: "List the requests on a database and its servers",
    reply: many(request, requestList),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      return { model: "request" as const, where: isOnDatabase(id) };
    },
  }),

  endpoint({
    route: "GET /database-services/:database_service/messages",
    summary: "List the messages of the requests on a database and its servers",
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
