import { type DatabaseServer, type DatabaseService, insertInto, type Prisma, type Tx } from "@gantry/db";
import { databaseService, field, type InputOf, type Tags } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { strict } from "../../http/input/input.js";
import { nameText } from "../../http/input/names.js";
import { indexed, references, text } from "../../http/lists/filters.js";
import { tagsInput } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { changed, json, one, requested } from "../../http/reply/reply.js";
import { asFields } from "../../http/rows/rows.js";
import { removeLeaksOf } from "../leaks.js";
import { requireProvisioned } from "../provisioned.js";
import { listChildren, listRecords, showRecord } from "../record-endpoints.js";
import { changeTags } from "../tags/tag.changes.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { connection, connectionOf } from "./database-service.connection.js";
import { databaseServiceInput, databaseServiceRows, emailAlertLevel } from "./database-service.creation.js";
import { requireLevel, serviceLevel } from "./database-service.levels.js";
import {
  findMaster,
  findMasterIfAny,
  requireAllowedDatabase,
  requireFreeName,
  requireUnprotected,
} from "./database-service.rules.js";

const filters = {
  provider: references("provider", "provider_id"),
  network: references("network"),
  name: indexed(text),
  environment: references("environment", "environment_id"),
};
const list = many(databaseService, { filters });

const changesInput = strict({
  name: nameText.optional(),
  notes: field(z.string().max(5000).nullable().optional(), "the database of shop"),
  service_level: serviceLevel.optional(),
  email_alert_level: emailAlertLevel.optional(),
  deletion_protection: z.boolean().optional(),
  tags: tagsInput.optional(),
});

export const databaseServiceEndpoints = [
  endpoint({
    route: "POST /database-services",
    summary: "Provision a database: its master, its firewall and its credentials",
    body: databaseServiceInput,
    transaction: true,
    reply: requested("provision_database_service"),
    handle: async ({ body, caller, db, vault, createRequest }) => {
      const provider = await caller.find("provider", body.provider);
      const { accountId } = provider;
      const { database_server: server, database_service: service } = body;
      const allowed = await requireAllowedDatabase(caller, db, provider, {
        ...server,
        serviceLevel: service.service_level,
        encrypted: server.storage_encrypted,
        networkId: body.network ?? null,
        environmentId: body.environment ?? null,
      });
      const { id, name, rows, planned } = await databaseServiceRows(db, body, { provider, vault, ...allowed });
      await requireFreeName(db, accountId, name);
      const resource = { type: "database_service", id } as const;
      const input = { extendedSupport: server.modifiers?.extended_support ?? false };
      return createRequest("provision_database_service", { accountId, resource, input, rows, planned });
    },
  }),

  showRecord("GET /database-services/:database_service", "Show a database", one(databaseService), "databaseService"),

  endpoint({
    route: "GET /database-services/:database_service/connection",
    operation: "getDatabaseServiceConnection",
    summary: "Show how to connect to a database",
    reply: json(z.object({ connection })),
    handle: async ({ params, caller, db }) => {
      const service = await caller.find("databaseService", params.database_service);
      return { connection: await connectionOf(db, service) };
    },
  }),

  endpoint({
    route: "PUT /database-services/:database_service",
    summary:
      "Change a database's record. Only new tags are sent to AWS; they replace the database's own tags and also apply to its servers and its firewall",
    body: strict({ database_service: changesInput }),
    transaction: true,
    reply: changed(databaseService),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const row = await caller.findLive("databaseService", params.database_service, "update");
      const { tags, ...attributes } = body.database_service;
      const { name, service_level: level } = attributes;
      if (attributes.deletion_protection)
        await assertNoUnfinishedRequest(["deprovision_database_service"], db, "database_service", row.id);
      if (level !== undefined) requireLevel(level, row.masterMultiAz ?? false);
      if (name !== undefined) await requireFreeName(db, row.accountId, name, row.id);
      const started = await changeTags({ db, createRequest }, "database_service", row, { tags });
      const changedRow = await db.databaseService.update({ where: { id: row.id }, data: asFields(attributes) });
      return { ...changedRow, started };
    },
  }),

  endpoint({
    route: "DELETE /database-services/:database_service",
    summary:
      "Deprovision a database with its replicas, after a final snapshot of its master unless `final_snapshot` is false",
    query: {
      final_snapshot: z.enum(["true", "false"]).optional().describe("False to remove it without a final snapshot"),
    },
    transaction: true,
    reply: requested("deprovision_database_service", "remove_leaked_resources"),
    handle: async ({ params, query, caller, db, createRequest }) => {
      const service = await caller.find("databaseService", params.database_service, "update");
      const { id, accountId, deletedAt } = service;
      if (deletedAt) return removeLeaksOf(db, createRequest, "database_service", { id, accountId });
      requireUnprotected(service);
      const isAsked = query.final_snapshot === "true";
      const master = isAsked ? await findMaster(db, service) : await findMasterIfAny(db, service);
      if (isAsked && master) requireProvisioned("database_server", master);
      const takesSnapshot = query.final_snapshot !== "false" && master?.provisionedId != null;
      const earlierId = takesSnapshot ? await earlierFinalSnapshot(db, id) : undefined;
      const finalSnapshotId = takesSnapshot ? (earlierId ?? uuidv7()) : null;
      const rows = master && finalSnapshotId && !earlierId ? [finalSnapshotRow(finalSnapshotId, service, master)] : [];
      const resource = { type: "database_service", id } as const;
      return createRequest("deprovision_database_service", { accountId, resource, input: { finalSnapshotId }, rows });
    },
  }),

  listRecords("GET /database-services", "List databases", list, "databaseService"),

  listChildren(
    "GET /accounts/:account/database_services",
    "List an account's databases",
    list,
    "databaseService",
    "account",
  ),

  listChildren(
    "GET /environments/:environment/database_services",
    "List the databases to which an environment's servers can connect",
    list,
    "databaseService",
    "environment",
  ),

  listChildren(
    "GET /providers/:provider_id/database-services",
    "List a provider's databases",
    list,
    "databaseService",
    "provider",
  ),
];

/**
 * Returns the final snapshot of an earlier removal that failed, if any. AWS may have taken it and removed the database
 * with it, so that there is nothing left for another one.
 */
async function earlierFinalSnapshot(db: Tx, id: string): Promise<string | undefined> {
  const removals = await db.request.findMany({
    where: { type: "deprovision_database_service", resourceType: "database_service", resourceId: id },
    select: { input: true },
  });
  const ids = removals.flatMap(({ input }) => (input as InputOf<"deprovision_database_service">).finalSnapshotId ?? []);
  const living = { id: { in: ids }, deletedAt: null, state: { notIn: ["failed", "error"] } };
  const earlier = await db.databaseServerSnapshot.findFirst({ where: living, orderBy: { createdAt: "desc" } });
  return earlier?.id;
}

function finalSnapshotRow(id: string, { name }: DatabaseService, master: DatabaseServer): Prisma.Sql {
  const { id: databaseServerId, accountId, providerId, region, engine, version, storageGb } = master;
  const of = { accountId, providerId, databaseServerId, region, engine, version, storageGb };
  return insertInto("database_server_snapshots", { ...of, id, name: `${name}-final`, tags: master.tags as Tags });
}
