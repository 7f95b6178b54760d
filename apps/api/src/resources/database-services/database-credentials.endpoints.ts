import type { DatabaseService, Vault } from "@gantry/db";
import { credentialsRotation } from "@gantry/resources";
import { endpoint } from "../../http/endpoint.js";
import { requested } from "../../http/reply/reply.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { plannedDatabaseServer } from "./database-server.plan.js";
import { newPassword } from "./database-service.creation.js";
import { assertNotPromoted, findMaster, requireIdleService, warningsOfStopped } from "./database-service.rules.js";

export const databaseCredentialsEndpoints = [
  endpoint({
    route: "POST /database-services/:database_service/rotate-credentials",
    operation: "rotateDatabaseServiceCredentials",
    summary: "Give a database's master user a new random password, which its record shows once RDS has applied it",
    transaction: true,
    reply: requested("rotate_database_credentials"),
    handle: async ({ params, caller, db, vault, createRequest }) => {
      const service = await caller.find("databaseService", params.database_service, "update");
      const { id, accountId } = service;
      const master = await findMaster(db, service);
      await requireIdleService(db, service);
      requireProvisioned("database_server", master);
      const blocking = ["rotate_database_credentials", "deprovision_database_service"] as const;
      await assertNoUnfinishedRequest(blocking, db, "database_service", id);
      await assertNoUnfinishedRequest(["update_database_server"], db, "database_server", master.id);
      await assertNotPromoted(db, "database_service", service);
      await db.databaseService.update({ where: { id }, data: await nextPasswordColumns(service, vault) });
      return createRequest("rotate_database_credentials", {
        accountId,
        resource: { type: "database_service", id },
        input: {},
        warnings: warningsOfStopped(master),
        changes: () => {
          const planned = plannedDatabaseServer(master);
          return { changes: [credentialsRotation], before: planned, after: planned };
        },
      });
    },
  }),
];

/** A new password for a rotation, or the one of an earlier rotation if the database may have it. */
async function nextPasswordColumns({ id, accountId, nextPassword, nextPasswordSent }: DatabaseService, vault: Vault) {
  if (nextPassword && nextPasswordSent) return { nextPassword, nextPasswordSent };
  const location = { table: "database_services", column: "next_password", id, account: accountId };
  return { nextPassword: await vault.encrypt(newPassword(), location), nextPasswordSent: false };
}
