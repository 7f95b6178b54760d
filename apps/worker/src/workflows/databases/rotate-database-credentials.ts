import { isOnlyRefusal } from "../../aws/aws-errors.js";
import { addMessage } from "../../engine/request-message.js";
import { permanent } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { findDatabase } from "./database.js";
import { requireAvailableCluster, requireUsableInstance } from "./database-state.js";
import { passwordLocation, setMasterPassword } from "./master-password.js";

/**
 * Gives a database's master user the sealed next password of its record. The record keeps both passwords until RDS has
 * applied the next one. A failure or a cancel before that sets the former one again, so that the record is right whatever
 * RDS made of the calls. If RDS accepts neither, the record keeps both, and another rotation sets the next one again.
 */
export const rotateDatabaseCredentials = awsWorkflow({
  type: "rotate_database_credentials",
  stages: {
    "wait-until-available": async (context) => {
      const { requireUsable } = await findTarget(context);
      await requireUsable();
    },

    "set-password": async (context) => {
      const { db, vault } = context;
      const { service, set } = await findTarget(context);
      const { nextPassword, nextPasswordSent } = service;
      if (!nextPassword) throw permanent("The database has no next password");
      const password = await vault.decrypt(nextPassword, passwordLocation(service, "next_password"));
      const recordSent = (isSent: boolean) =>
        db.databaseService.update({ where: { id: service.id }, data: { nextPasswordSent: isSent } });
      await recordSent(true);
      await set(password).catch(async (error) => {
        // No call before this one can have set it.
        if (!nextPasswordSent && isOnlyRefusal(error)) await recordSent(false);
        throw error;
      });
    },

    "wait-until-applied": async (context) => {
      const { resourceId: id, db, vault } = context;
      const { service, requireUsable } = await findTarget(context);
      const { nextPassword, accountId } = service;
      // A run before this one may have ended after the change.
      if (nextPassword) {
        await requireUsable();
        const password = await vault.decrypt(nextPassword, passwordLocation(service, "next_password"));
        const servers = await db.databaseServer.findMany({
          where: { databaseServiceId: id, deletedAt: null, password: { not: null } },
          select: { id: true },
        });
        const update = await Promise.all(
          servers.map(async (where) => {
            const location = { ...passwordLocation({ ...where, accountId }), table: "database_servers" };
            return { where, data: { password: await vault.encrypt(password, location) } };
          }),
        );
        const sealed = await vault.encrypt(password, passwordLocation(service));
        // One write: the record never shows a password beside another one of its servers.
        const data = { password: sealed, nextPassword: null, nextPasswordSent: false, servers: { update } };
        await db.databaseService.update({ where: { id }, data });
      }
      await addMessage(context, "The database has the new password");
    },
  },

  undo: async (context) => {
    const { db, vault } = context;
    const { password, nextPassword, nextPasswordSent, ...service } = await findService(context);
    if (!nextPasswordSent) return;
    const { set, requireUsable } = await findTarget(context);
    if (nextPassword) {
      if (!password) throw permanent("The database has no former password");
      await set(await vault.decrypt(password, passwordLocation(service)));
      await db.databaseService.update({ where: { id: service.id }, data: { nextPassword: null } });
    }
    await requireUsable();
    await addMessage(context, "The database has its former password");
  },

  discard: async (context) => {
    const { db } = context;
    const { id, nextPassword, nextPasswordSent } = await findService(context);
    if (nextPassword && nextPasswordSent)
      return addMessage(context, "RDS may have the former or the new password; rotate the credentials again");
    await db.databaseService.update({ where: { id }, data: { nextPassword: null, nextPasswordSent: false } });
  },
});

type Context = Pick<AwsStageContext, "db" | "resourceId" | "cloud">;

function findService({ db, resourceId }: Pick<Context, "db" | "resourceId">) {
  return db.databaseService.findUniqueOrThrow({ where: { id: resourceId } });
}

/** A database, and what a rotation does with it in RDS. */
async function findTarget({ resourceId, db, cloud }: Context) {
  const { service, master, location } = await findDatabase(db, resourceId);
  const { clusterId, deletedAt } = service;
  const { provisionedId } = master;
  if (!provisionedId || deletedAt) throw permanent("The database does not exist in AWS");
  const scope = cloud(location);
  return {
    service,
    set: (password: string) => setMasterPassword(scope, { clusterId, provisionedId }, password),
    requireUsable: async () => {
      await requireUsableInstance(scope, provisionedId);
      if (clusterId) await requireAvailableCluster(scope, clusterId);
    },
  };
}
