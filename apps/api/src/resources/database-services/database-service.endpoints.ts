import { insertInto } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { references, text } from "../../http/filters.js";
import { flag, strict } from "../../http/input.js";
import { many, one, requested } from "../../http/reply.js";
import { where } from "../../http/rows.js";
import { requireEngine, requireFit } from "../database-engines/offers.js";
import { requireUsable } from "../providers/provider.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";
import { databaseService } from "./database-service.resource.js";
import {
  masterOf,
  requireEnvironment,
  requireFreeName,
  requireNetwork,
  requireServer,
  requireSpot,
} from "./database-service.rules.js";
import { emailAlertLevel, newDatabase, rowsOf, serviceName } from "./new-database.js";
import { requireLevel, serviceLevel } from "./service-levels.js";

const filters = {
  provider: references("provider", "provider_id"),
  name: text,
  environment: references("environment", "environment_id"),
};
const list = many(databaseService, { filters });

const changes = strict({
  name: serviceName.optional(),
  notes: z.string().max(5000).nullable().optional(),
  service_level: serviceLevel.optional(),
  email_alert_level: emailAlertLevel.optional(),
});

export const databaseServiceEndpoints = [
  endpoint({
    route: "POST /database-services",
    summary: "Provision a database: its master, its firewall and its credentials",
    body: newDatabase,
    transaction: true,
    reply: requested("provision_database_service"),
    handle: async ({ body, caller, db, appContext, open }) => {
      const provider = await caller.find("provider", body.provider);
      requireUsable(provider);
      const { database_server: server, database_service: service } = body;
      const multiAz = server.modifiers?.multi_az ?? false;
      const engine = requireEngine(server);
      requireFit(engine, server);
      requireLevel(service.service_level, multiAz);
      const spot = await requireSpot(db, provider.id, server.location);
      const network = body.network === undefined ? null : await caller.find("network", body.network, "share");
      if (network) await requireNetwork(db, network, spot, multiAz);
      const environment =
        body.environment === undefined ? null : await caller.find("environment", body.environment, "share");
      if (environment) requireEnvironment(environment, spot, network?.id ?? null);
      const { accountId } = provider;
      const { vault } = appContext;
      const { id, name, rows } = await rowsOf(db, body, { provider, network, environment, spot, engine, vault });
      await requireFreeName(db, accountId, name);
      const resource = { type: "database_service", id } as const;
      return open("provision_database_service", { accountId, resource, input: {}, rows });
    },
  }),

  endpoint({
    route: "GET /database-services/:database_service",
    summary: "Show a database",
    reply: one(databaseService),
    handle: ({ params, caller }) => caller.find("databaseService", params.database_service),
  }),

  endpoint({
    route: "PUT /database-services/:database_service",
    summary: "Change what is written down of a database; nothing changes in AWS",
    body: strict({ database_service: changes }),
    transaction: true,
    reply: one(databaseService),
    handle: async ({ params, body, caller, db }) => {
      const row = await caller.find("databaseService", params.database_service, "update");
      if (row.deletedAt) throw conflict(`the database service ${row.id} was deleted`);
      const { name, notes, service_level: level, email_alert_level: alertLevel } = body.database_service;
      if (level !== undefined) requireLevel(level, row.masterMultiAz ?? false);
      if (name !== undefined) await requireFreeName(db, row.accountId, name, row.id);
      return db.databaseService.update({
        where: { id: row.id },
        data: {
          ...(name !== undefined && { name }),
          ...(notes !== undefined && { notes }),
          ...(level !== undefined && { serviceLevel: level }),
          ...(alertLevel !== undefined && { emailAlertLevel: alertLevel }),
        },
      });
    },
  }),

  endpoint({
    route: "DELETE /database-services/:database_service",
    summary: "Deprovision a database with its replicas, after a last snapshot of its master where one is wanted",
    query: { final_snapshot: flag },
    transaction: true,
    reply: requested("deprovision_database_service"),
    handle: async ({ params, query, caller, db, open }) => {
      const service = await caller.find("databaseService", params.database_service, "update");
      const { id, accountId, deletedAt } = service;
      if (deletedAt) throw conflict(`the database service ${id} was already deleted`);
      await assertNoOpenRequest(["deprovision_database_service"], db, "database_service", id);
      const finalSnapshotId = query.final_snapshot ? uuidv7() : null;
      const rows = finalSnapshotId ? [await finalSnapshot(finalSnapshotId)] : [];
      const resource = { type: "database_service", id } as const;
      return open("deprovision_database_service", { accountId, resource, input: { finalSnapshotId }, rows });

      async function finalSnapshot(snapshotId: string) {
        const { id: databaseServerId, ...master } = await masterOf(db, service);
        requireServer({ id: databaseServerId, ...master });
        const { providerId, region, engine, version, storageGb } = master;
        const of = { accountId, providerId, databaseServerId, region, engine, version, storageGb };
        return insertInto("database_server_snapshots", { ...of, id: snapshotId, name: `${service.name}-final` });
      }
    },
  }),

  endpoint({
    route: "GET /database-services",
    summary: "List databases",
    reply: list,
    handle: ({ caller }) => caller.all("databaseService"),
  }),

  endpoint({
    route: "GET /accounts/:account/database_services",
    summary: "List an account's databases",
    reply: list,
    handle: async ({ params, caller }) =>
      where("databaseService", { accountId: (await caller.find("account", params.account)).id }),
  }),

  endpoint({
    route: "GET /environments/:environment/database_services",
    summary: "List the databases that an environment's servers may reach",
    reply: list,
    handle: async ({ params, caller }) =>
      where("databaseService", { environmentId: (await caller.find("environment", params.environment)).id }),
  }),

  endpoint({
    route: "GET /providers/:provider_id/database-services",
    summary: "List a provider's databases",
    reply: list,
    handle: async ({ params, caller }) =>
      where("databaseService", { providerId: (await caller.find("provider", params.provider_id)).id }),
  }),
];
