import type { DatabaseServer, Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { assertNotPromoted, requireIdleService } from "../database-services/database-service.rules.js";
import { requireProvisioned } from "../provisioned.js";

/**
 * A database server of which a snapshot can be taken now, locked against removal until the transaction ends.
 *
 * @throws 409 if it is not provisioned or is being promoted, or its service is being provisioned
 */
export async function findServerToSnapshot(caller: Caller, db: Tx, id: string): Promise<DatabaseServer> {
  const server = await caller.find("databaseServer", id, "share");
  requireProvisioned("database_server", server);
  await requireIdleService(db, await caller.find("databaseService", server.databaseServiceId, "share"));
  await assertNotPromoted(db, "database_server", server);
  return server;
}
