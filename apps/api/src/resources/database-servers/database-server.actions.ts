import { isAurora } from "@gantry/aws-facts";
import type { DatabaseServer, Tx } from "@gantry/db";
import { field, type InputOf, plannedDatabaseAction } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { endpoint } from "../../http/endpoint.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { requested } from "../../http/reply/reply.js";
import { warningsOfStopped } from "../database-services/database-service.rules.js";
import { findIdleServer } from "./idle-database-server.js";

type Action = InputOf<"update_database_server">;

const failover = field(z.boolean().default(false), true, "The copy in the other zone takes over; only with multi-AZ");

export const databaseActionEndpoints = [
  endpoint({
    route: "POST /database-servers/:database_server/reboot",
    summary: "Restart a database server, or have its copy in the other zone take over",
    body: strict({ database_server: strict({ failover }).prefault({}) }).prefault({}),
    transaction: true,
    reply: requested("update_database_server"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const { failover } = body.database_server;
      const input = { action: "reboot", ...(failover && { failover }) } as const;
      const server = await findActionableServer(caller, db, params.database_server, input);
      return createRequest("update_database_server", {
        ...actionOn(server, input),
        warnings: warningsOfStopped(server),
      });
    },
  }),

  ...(["stop", "start"] as const).map((action) =>
    endpoint({
      route: `POST /database-servers/:database_server/${action}` as const,
      summary:
        action === "stop"
          ? "Stop a database server; RDS starts it again after seven days"
          : "Start a stopped database server",
      transaction: true,
      reply: requested("update_database_server"),
      handle: async ({ params, caller, db, createRequest }) => {
        const input = { action };
        const server = await findActionableServer(caller, db, params.database_server, input);
        return createRequest("update_database_server", actionOn(server, input));
      },
    }),
  ),
];

/**
 * A database server with which the action can be done now, locked until the transaction ends. Its state is not checked here:
 * RDS knows it, and the worker asks RDS.
 *
 * @throws 409 if it is not provisioned, another Request changes it or its database, or RDS would refuse the action; 422 for a
 * failover without multi-AZ
 */
export async function findActionableServer(caller: Caller, db: Tx, id: string, input: Action): Promise<DatabaseServer> {
  const { server } = await findIdleServer(caller, db, id);
  if (input.failover && !server.multiAz)
    throw invalid("database_server.failover", "must be false: the database server has no copy in another zone");
  if (input.action !== "reboot") await requireStoppable(db, server);
  return server;
}

/** @throws 409 if RDS neither stops nor starts the server: "Stopping an Amazon RDS DB instance temporarily" in its user guide */
async function requireStoppable(db: Tx, { id, engine, replicationSourceId }: DatabaseServer): Promise<void> {
  const begin = `database server ${id} cannot be stopped or started`;
  if (isAurora(engine)) throw conflict(`${begin}: it is a member of an Aurora cluster`);
  if (replicationSourceId !== null) throw conflict(`${begin}: it is a replica`);
  const replicas = await db.databaseServer.findMany({
    where: { replicationSourceId: id, deletedAt: null },
    select: { id: true },
  });
  if (replicas.length > 0)
    throw conflict(`${begin}: it has replicas; remove them first`, {
      blocking: replicas.map((replica) => `database-servers/${replica.id}`),
    });
}

function actionOn(server: DatabaseServer, input: Action) {
  const { id, accountId } = server;
  const changes = plannedDatabaseAction(server, input.failover ? "failover" : input.action);
  return { accountId, resource: { type: "database_server", id } as const, input, changes: () => ({ changes }) };
}
