import { Prisma } from "@gantry/db";
import { message, request } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { many } from "../../http/reply/list.js";
import type { Selection } from "../../http/rows/rows.js";
import { requestList, requestsOn } from "../requests/request.filters.js";
import { messagesOf } from "../requests/request-messages.js";

export const databaseServiceRequestEndpoints = [
  endpoint({
    route: "GET /database-services/:database_service/requests",
    summary: "List the requests on a database and its servers",
    reply: many(request, requestList),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      return requestsOnDatabase(id);
    },
  }),

  endpoint({
    route: "GET /database-services/:database_service/messages",
    summary: "List the messages of the requests on a database and its servers",
    reply: many(message),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      return messagesOf(requestsOnDatabase(id));
    },
  }),
];

function requestsOnDatabase(id: string): Selection<"request"> {
  return requestsOn(Prisma.sql`SELECT 'database_service' AS scope_type, ${id} AS scope_id
    UNION ALL SELECT 'database_server', id::text FROM database_servers WHERE database_service_id = ${id}::uuid`);
}
