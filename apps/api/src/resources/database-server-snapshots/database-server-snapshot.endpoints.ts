import { insertInto, Prisma } from "@gantry/db";
import { databaseServerSnapshot } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { indexed, references, text } from "../../http/lists/filters.js";
import { mergedTags, ownTags } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { warningsOfStopped } from "../database-services/database-service.rules.js";
import { listChildren, listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { findServerToSnapshot } from "./database-server-snapshot.rules.js";

const filters = {
  provider: references("provider", "provider_id"),
  database_server: indexed(references("databaseServer", "database_server_id")),
  name: text,
  state: text,
  provisioned_id: text,
};
const list = many(databaseServerSnapshot, { filters });

export const databaseServerSnapshotEndpoints = [
  endpoint({
    route: "POST /database-servers/:database_server/snapshots",
    summary: "Take a snapshot of a database server, or of the whole cluster for Aurora",
    body: strict({
      database_server_snapshot: strict({ name: nameText.optional(), tags: ownTags }).prefault({}),
    }),
    transaction: true,
    reply: requested("provision_database_server_snapshot"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const server = await findServerToSnapshot(caller, db, params.database_server);
      const { id: databaseServerId, accountId, providerId, region, engine, version, storageGb } = server;
      const id = uuidv7();
      const name = body.database_server_snapshot.name ?? `${engine}-${id.slice(-8)}`;
      const tags = mergedTags("database_server_snapshot.tags", server.tags, body.database_server_snapshot.tags);
      const of = { accountId, providerId, databaseServerId, region, engine, version, storageGb };
      return createRequest("provision_database_server_snapshot", {
        accountId,
        resource: { type: "database_server_snapshot", id },
        input: {},
        warnings: warningsOfStopped(server),
        rows: [insertInto("database_server_snapshots", { ...of, id, name, tags })],
      });
    },
  }),

  removeByRequest("DELETE /database-server-snapshots/:database_server_snapshot", {
    summary: "Deprovision a snapshot of a database server",
    alsoAs: { removeDatabaseServerSnapshot: "DELETE /database_server_snapshots/:database_server_snapshot" },
    type: "database_server_snapshot",
    request: "deprovision_database_server_snapshot",
  }),

  {
    ...showRecord(
      "GET /database-server-snapshots/:database_server_snapshot",
      "Show a snapshot of a database server",
      one(databaseServerSnapshot),
      "databaseServerSnapshot",
    ),
    alsoAs: { showDatabaseServerSnapshot: "GET /database_server_snapshots/:database_server_snapshot" } as const,
  },

  {
    ...listRecords(
      "GET /database-server-snapshots",
      "List snapshots of database servers",
      list,
      "databaseServerSnapshot",
    ),
    alsoAs: { listAllDatabaseServerSnapshots: "GET /database_server_snapshots" } as const,
  },

  {
    ...listChildren(
      "GET /providers/:provider/database-server-snapshots",
      "List the snapshots of a provider's database servers",
      list,
      "databaseServerSnapshot",
      "provider",
    ),
    alsoAs: { listSnapshotsOfProvider: "GET /providers/:provider/database_server_snapshots" } as const,
  },

  listChildren(
    "GET /database-servers/:database_server/snapshots",
    "List a database server's snapshots",
    many(databaseServerSnapshot),
    "databaseServerSnapshot",
    "databaseServer",
    "listSnapshotsOfDatabaseServer",
  ),

  endpoint({
    route: "GET /database-services/:database_service/snapshots",
    alsoAs: {
      listDatabaseServerSnapshotsOfService: "GET /database-services/:database_service/database-server-snapshots",
      listSnapshotsOfDatabaseService: "GET /database-services/:database_service/database_server_snapshots",
    },
    summary: "List the snapshots of a database's servers",
    reply: many(databaseServerSnapshot),
    handle: async ({ params, caller }) => {
      const { id } = await caller.find("databaseService", params.database_service);
      const condition = Prisma.sql`database_server_id IN (SELECT id FROM database_servers WHERE database_service_id = ${id})`;
      return { model: "databaseServerSnapshot" as const, where: condition };
    },
  }),
];
