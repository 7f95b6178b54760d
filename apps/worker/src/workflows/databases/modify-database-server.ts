import { Prisma } from "@gantry/db";
import { type DatabaseSettings, pendingOf, pendingSettings, settingsAtOnce } from "@gantry/resources";
import { modifyDbInstance } from "../../aws/rds/db-instance.js";
import { describeDbInstance, settingsOf } from "../../aws/rds/instance-state.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireUsableInstance } from "./database-state.js";

const DAY_MINUTES = 1440;

/**
 * Gives a database server another flavor or version, other storage, a copy in another zone or other backups. The record changes when
 * RDS has accepted the change, which nothing stops from then on. In the maintenance window, the record shows it as pending,
 * and the Request ends.
 */
export const modifyDatabaseServer = awsWorkflow({
  type: "modify_database_server",
  stages: {
    modify: async ({ resourceId: id, input, db, cloud, recordProgress }) => {
      const server = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const { provisionedId, providerId, region, deletedAt, databaseServiceId } = server;
      if (!provisionedId || deletedAt) throw permanent("The database server does not exist in AWS");
      const scope = cloud({ providerId, region });
      const { apply = "now", ...wanted } = input;
      const waiting = pendingSettings(server);
      const isRecorded =
        apply === "now"
          ? server.pending === null && isEmpty(missingIn(server, wanted))
          : isEmpty(missingIn({ ...server, ...waiting }, wanted));
      if (!isRecorded) {
        const seen = await requireUsableInstance(scope, provisionedId);
        const settled = without(settingsOf(seen), seen.pending);
        const change = missingIn(apply === "now" ? settled : { ...settled, ...seen.pending }, wanted);
        const isOfStorage = "storageGb" in change || "storageType" in change;
        if (isOfStorage && seen.status === "storage-optimization")
          throw poll("RDS to optimize the storage after its last change", {
            everySeconds: 60,
            limitMinutes: DAY_MINUTES,
          });
        if (!isEmpty(change)) await scope.call(modifyDbInstance(provisionedId, change, apply));
        if (apply === "now" && server.replicationSourceId === null) {
          const { flavor: masterFlavor, multiAz: masterMultiAz, version } = wanted;
          const ofMaster = {
            ...(version && { version }),
            ...(masterFlavor && { masterFlavor }),
            ...(masterMultiAz !== undefined && { masterMultiAz }),
          };
          await db.databaseService.update({ where: { id: databaseServiceId }, data: ofMaster });
        }
        const data =
          apply === "now"
            ? { ...wanted, pending: Prisma.DbNull }
            : { ...settingsAtOnce(wanted), pending: pendingOf({ ...waiting, ...wanted }) ?? Prisma.DbNull };
        // The last write: a repetition finds the rest undone as long as the server has the former values.
        await db.databaseServer.update({ where: { id }, data });
        recordProgress();
      }
      const expected = apply === "now" ? wanted : settingsAtOnce(wanted);
      if (isEmpty(expected)) return;
      const seen = await scope.call(describeDbInstance(provisionedId));
      if (!seen) throw notShown(provisionedId);
      const isDone = isEmpty(missingIn(without(settingsOf(seen), seen.pending), expected));
      await requireUsableInstance(scope, provisionedId, isDone);
    },
  },
});

/** The wanted settings that something does not have. */
function missingIn(has: Readonly<Record<string, unknown>>, wanted: DatabaseSettings): DatabaseSettings {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => has[name] !== value));
}

/** The values that are not about to change. */
function without(settings: object, pending: DatabaseSettings): Record<string, unknown> {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in pending)));
}

function isEmpty(settings: object): boolean {
  return Object.keys(settings).length === 0;
}
