import { endpoint } from "../../http/endpoint.js";
import { requested } from "../../http/reply/reply.js";
import { databaseServiceRows } from "./database-service.creation.js";
import { restoreInput, restoreOf } from "./database-service.restore.js";
import { requireFreeName } from "./database-service.rules.js";

export const databaseRestoreEndpoints = [
  endpoint({
    route: "POST /database-services/:database_service/restore",
    summary:
      "Provision a new database from a database's backups or from one of its snapshots, with a password and a firewall of its own",
    body: restoreInput,
    transaction: true,
    reply: requested("provision_database_service"),
    handle: async ({ params, body, caller, db, vault, createRequest }) => {
      const source = await caller.find("databaseService", params.database_service, "share");
      const { accountId } = source;
      const { wanted, context, input, warnings } = await restoreOf(caller, db, source, body);
      const { id, name, rows, planned } = await databaseServiceRows(db, wanted, { ...context, vault });
      await requireFreeName(db, accountId, name);
      const resource = { type: "database_service", id } as const;
      return createRequest("provision_database_service", { accountId, resource, input, rows, planned, warnings });
    },
  }),
];
