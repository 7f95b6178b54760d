import { Prisma } from "@gantry/db";
import { databaseServer, message } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { indexed, integer, references, text } from "../../http/lists/filters.js";
import { mergedTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { plannedDatabaseServer } from "../database-services/database-server.plan.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { requestsOn } from "../requests/request.filters.js";
import { messagesOf } from "../requests/request-messages.js";
import { databaseActionEndpoints } from "./database-server.actions.js";
import { applyTime, databaseServerChangesInput, modifyDatabaseServer } from "./database-server.modification.js";
import { databasePromotionEndpoints } from "./database-server.promotion.js";
import {
  insertReplica,
  replicaInput,
  requireAllowedReplica,
  requireRemovableReplica,
} from "./database-server.replicas.js";

const filters = {
  provisioned_id: text,
  provisioner_id: text,
  endpoint: text,
  engine: text,
  version: text,
  storage: integer("storage_gb"),
  provider: references("provider", "provider_id"),
  network: references("network"),
  database_service: indexed(references("databaseService", "database_service_id")),
  flavor: text,
  location: text,
};
const list = many(databaseServer, { filters });

export const databaseServerEndpoints = [
  endpoint({
    route: "POST /database-servers",
    summary: "Provision a replica of a database's master",
    body: replicaInput,
    transaction: true,
    reply: requested("provision_database_server"),
    handle: async ({ body, caller, db, vault, createRequest }) => {
      const { sourceId, sourcePath, ...attributes } = body;
      const source = await caller.find("databaseServer", sourceId);
      const service = await caller.find("databaseService", source.databaseServiceId, "update");
      const { flavor = source.flavor, location = source.location } = attributes;
      await requireAllowedReplica(db, service, source, { flavor, location }, sourcePath);
      const { accountId } = source;
      const tags = mergedTags("database_server.tags", service.tags, attributes.tags);
      const { id, row } = await insertReplica(vault, source, { flavor, location, tags });
      const resource = { type: "database_server", id } as const;
      const planned = () => [plannedDatabaseServer({ ...source, flavor, location, multiAz: false })];
      return createRequest("provision_database_server", { accountId, resource, input: {}, rows: [row], planned });
    },
  }),

  endpoint({
    route: "POST /database-servers/:database_server/modify",
    summary: "Give a database server another flavor or version, more storage, a copy in another zone or other backups",
    body: strict({ database_server: databaseServerChangesInput, apply: applyTime }),
    transaction: true,
    reply: requested("modify_database_server"),
    handle: ({ params, body, ...act }) =>
      modifyDatabaseServer(act, params.database_server, body.database_server, body.apply),
  }),

  ...databaseActionEndpoints,
  ...databasePromotionEndpoints,

  removeByRequest("DELETE /database-servers/:database_server", {
    summary: "Deprovision a replica",
    type: "database_server",
    request: "deprovision_database_server",
    check: requireRemovableReplica,
  }),

  showRecord("GET /database-servers/:database_server", "Show a database server", one(databaseServer), "databaseServer"),

  listRecords("GET /database-servers", "List database servers", list, "databaseServer"),

  listChildren(
    "GET /database-services/:database_service/servers",
    "List a database's servers",
    list,
    "databaseServer",
    "databaseService",
  ),

  endpoint({
    route: "GET /database-servers/:database_server/messages",
    summary: "List the messages of the requests on a database server; for a master, also of those on its database",
    reply: many(message),
    handle: async ({ params, caller }) => {
      const server = await caller.find("databaseServer", params.database_server);
      const onServer = Prisma.sql`SELECT 'database_server' AS scope_type, ${server.id} AS scope_id`;
      const onService = Prisma.sql`UNION ALL SELECT 'database_service', ${server.databaseServiceId}`;
      return messagesOf(requestsOn(server.replicationSourceId ? onServer : Prisma.sql`${onServer} ${onService}`));
    },
  }),
];
