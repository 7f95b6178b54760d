import { isAurora } from "@gantry/aws-facts";
import type { DatabaseServer, DatabaseService, Tx } from "@gantry/db";
import { findServicePlan, plannedPromotion, type Tags } from "@gantry/resources";
import type { Caller } from "../../http/auth/caller.js";
import { hasUnfinishedRequests } from "../../http/conflicts/request-conflicts.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { mergedTags } from "../../http/lists/tags.js";
import { requested } from "../../http/reply/reply.js";
import { plannedDatabaseServer } from "../database-services/database-server.plan.js";
import { newService, serviceRows } from "../database-services/database-service.creation.js";
import { requireFreeName, warningsOfStopped } from "../database-services/database-service.rules.js";
import { findIdleServer } from "./idle-database-server.js";

const { name, notes, tags } = newService.shape;

export const databasePromotionEndpoints = [
  endpoint({
    route: "POST /database-servers/:database_server/promote",
    summary:
      "Make a replica the master of a new database, with a password and a firewall of its own; nothing undoes it",
    body: strict({ database_service: strict({ name, notes, tags }).prefault({}) }).prefault({}),
    transaction: true,
    reply: requested("promote_database_server"),
    handle: async ({ params, body, caller, db, vault, createRequest }) => {
      const { server, service } = await findPromotableReplica(caller, db, params.database_server);
      const { accountId } = service;
      const { id, name, rows } = await serviceRows(db, vault, {
        ...(await likeFormer(caller, service, server)),
        name: body.database_service.name,
        notes: body.database_service.notes ?? null,
        tags: mergedTags("database_service.tags", service.tags as Tags, body.database_service.tags),
      });
      await requireFreeName(db, accountId, name);
      return createRequest("promote_database_server", {
        accountId,
        resource: { type: "database_service", id },
        input: { serverId: server.id, formerServiceId: service.id },
        rows,
        warnings: warningsOfStopped(server),
        changes: () => {
          const planned = plannedDatabaseServer(server);
          return { changes: [plannedPromotion(server)], before: planned, after: planned };
        },
      });
    },
  }),
];

/** The columns of a new database that it has from the former one and from its master. */
async function likeFormer(caller: Caller, former: DatabaseService, { version, flavor, multiAz }: DatabaseServer) {
  const { accountId, providerId, region, engine, username } = former;
  const { networkId, vpcProvisionedId, vpcName, environmentId, serviceLevel, emailAlertLevel } = former;
  const environment = environmentId === null ? null : await caller.find("environment", environmentId, "share");
  const isAllowed = multiAz || !findServicePlan(serviceLevel)?.multiAzRequired;
  return {
    ...{ accountId, providerId, region, engine, username, networkId, vpcProvisionedId, vpcName, emailAlertLevel },
    version,
    environmentId: environment?.deletedAt ? null : environmentId,
    // The former database has a copy in another zone, which replicas do not have.
    serviceLevel: isAllowed ? serviceLevel : "community",
    masterFlavor: flavor,
    masterMultiAz: multiAz,
  };
}

/**
 * A replica that can become a master now, and its database, both locked until the transaction ends.
 *
 * @throws 409 if it is a master, is not provisioned, a change of it waits for the maintenance window, or another Request works on
 * it or its database; 422 if it is a member of an Aurora cluster
 */
export async function findPromotableReplica(
  caller: Caller,
  db: Tx,
  id: string,
): Promise<{ server: DatabaseServer; service: DatabaseService }> {
  const { server, service } = await findIdleServer(caller, db, id);
  if (isAurora(server.engine))
    throw invalid(
      "database_server",
      `is a member of an Aurora cluster of ${server.engine}, which RDS does not promote alone`,
    );
  if (server.replicationSourceId === null) throw conflict(`database server ${id} is a master already`);
  await assertNoUnfinishedSnapshot(db, id);
  if (server.pending !== null)
    throw conflict(
      `database server ${id} has changes that wait for the maintenance window; make them or take them back first`,
    );
  return { server, service };
}

async function assertNoUnfinishedSnapshot(db: Tx, serverId: string): Promise<void> {
  const snapshots = await db.databaseServerSnapshot.findMany({
    where: { databaseServerId: serverId, deletedAt: null },
    select: { id: true },
  });
  const unfinished = await db.request.findFirst({
    where: {
      resourceType: "database_server_snapshot",
      resourceId: { in: snapshots.map(({ id }) => id) },
      type: "provision_database_server_snapshot",
      finishedAt: null,
    },
    select: { id: true, type: true },
  });
  if (unfinished) throw hasUnfinishedRequests({ type: "database_server", id: serverId }, [unfinished]);
}
