import type { DatabaseServer, DatabaseService, Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { assertNoPromotion, requireIdleService } from "../database-services/database-service.rules.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/**
 * A database server that nothing works on, and its database, both locked until the transaction ends.
 *
 * @throws 409 if it was deleted, is not provisioned, or a Request works on it or its database, or promotes one of its
 * replicas
 */
export async function findIdleServer(
  caller: Caller,
  db: Tx,
  id: string,
): Promise<{ server: DatabaseServer; service: DatabaseService }> {
  const { databaseServiceId } = await caller.find("databaseServer", id);
  const service = await caller.find("databaseService", databaseServiceId, "update");
  const server = await caller.find("databaseServer", id, "update");
  requireProvisioned("database_server", server);
  await requireIdleService(db, service);
  const onServer = ["modify_database_server", "update_database_server", "deprovision_database_server"] as const;
  await assertNoUnfinishedRequest(onServer, db, "database_server", id);
  const onService = ["rotate_database_credentials", "deprovision_database_service"] as const;
  await assertNoUnfinishedRequest(onService, db, "database_service", service.id);
  await assertNoPromotion(db, server);
  return { server, service };
}
