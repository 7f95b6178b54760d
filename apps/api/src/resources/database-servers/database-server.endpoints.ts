import { Prisma } from "@gantry/db";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { strict } from "../../http/input.js";
import { many, one, requested } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { requireFlavor } from "../database-engines/offers.js";
import { databaseServerSnapshot } from "../database-server-snapshots/database-server-snapshot.resource.js";
import {
  requireServer,
  requireSpot,
  requireStanding,
  requireZoneOf,
} from "../database-services/database-service.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { message } from "../requests/part.resources.js";
import { databaseServerFilters } from "./database-server.filters.js";
import { databaseServer } from "./database-server.resource.js";
import { insertReplica, requireMaster, requireRoomForReplica } from "./replica.js";

export const databaseServerEndpoints = [
  endpoint({
    route: "POST /database-servers",
    summary: "Provision a replica that follows a database's master",
    body: strict({
      replication_source: z.uuid(),
      database_server: strict({ flavor: z.string().optional(), location: z.string().optional() }).prefault({}),
    }),
    transaction: true,
    reply: requested("provision_database_server"),
    handle: async ({ body, caller, db, appContext, open }) => {
      const source = await caller.find("databaseServer", body.replication_source);
      const service = await caller.find("databaseService", source.databaseServiceId, "update");
      await requireStanding(db, service);
      requireServer(source);
      requireMaster(source);
      await requireRoomForReplica(db, service);
      const { flavor = source.flavor, location = source.location } = body.database_server;
      requireFlavor(source.engine, flavor);
      const spot = await requireSpot(db, source.providerId, location, source.region);
      if (source.networkId) await requireZoneOf(db, source.networkId, spot.zone);
      const { accountId } = source;
      const { id, row } = await insertReplica(appContext.vault, source, { flavor, location });
      const resource = { type: "database_server", id } as const;
      return open("provision_database_server", { accountId, resource, input: {}, rows: [row] });
    },
  }),

  endpoint({
    route: "DELETE /database-servers/:database_server",
    summary: "Deprovision a replica",
    transaction: true,
    reply: requested("deprovision_database_server"),
    handle: async ({ params, caller, db, open }) => {
      const server = await caller.find("databaseServer", params.database_server, "update");
      const { id, accountId, deletedAt, replicationSourceId, databaseServiceId } = server;
      if (deletedAt) throw conflict(`the database server ${id} was already deleted`);
      if (!replicationSourceId) {
        throw conflict(`the database server ${id} is a master: delete the database service ${databaseServiceId}`);
      }
      await assertNoOpenRequest(["deprovision_database_service"], db, "database_service", databaseServiceId);
      await assertNoOpenRequest(["deprovision_database_server"], db, "database_server", id);
      const resource = { type: "database_server", id } as const;
      return open("deprovision_database_server", { accountId, resource, input: {} });
    },
  }),

  endpoint({
    route: "GET /database-servers/:database_server",
    summary: "Show a database server",
    reply: one(databaseServer),
    handle: ({ params, caller }) => caller.find("databaseServer", params.database_server),
  }),

  endpoint({
    route: "GET /database-servers",
    summary: "List database servers",
    reply: many(databaseServer, { filters: databaseServerFilters }),
    handle: ({ caller }) => caller.all("databaseServer"),
  }),

  endpoint({
    route: "GET /database-servers/:database_server/snapshots",
    summary: "List a database server's snapshots",
    reply: many(databaseServerSnapshot),
    handle: async ({ params, caller }) =>
      where("databaseServerSnapshot", {
        databaseServerId: (await caller.find("databaseServer", params.database_server)).id,
      }),
  }),

  endpoint({
    route: "GET /database-servers/:database_server/messages",
    summary: "List what the requests on a database server said; of a master also those on its database",
    reply: many(message),
    handle: async ({ params, caller }) => {
      const server = await caller.find("databaseServer", params.database_server);
      const onServer = Prisma.sql`resource_type = 'database_server' AND resource_id = ${server.id}`;
      const onService = Prisma.sql`resource_type = 'database_service' AND resource_id = ${server.databaseServiceId}`;
      const either = server.replicationSourceId ? onServer : Prisma.sql`(${onServer}) OR (${onService})`;
      const condition = Prisma.sql`request_id IN (SELECT id FROM requests WHERE ${either})`;
      return { model: "requestMessage" as const, where: condition };
    },
  }),
];
