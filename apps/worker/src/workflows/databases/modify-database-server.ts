import { modifyDbInstance } from "../../aws/rds/db-instance.js";
import { type DbInstanceState, describeDbInstance } from "../../aws/rds/instance-state.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { requireUsableInstance } from "./database-state.js";

const DAY_MINUTES = 1440;

/**
 * Gives a database server another flavor, other storage, a copy in another zone or other backups. The record changes when
 * RDS has accepted the change, which nothing stops from then on.
 */
export const modifyDatabaseServer = awsWorkflow({
  type: "modify_database_server",
  stages: {
    modify: async ({ resourceId: id, input, db, cloud, recordProgress }) => {
      const server = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const { provisionedId, providerId, region, deletedAt, databaseServiceId } = server;
      if (!provisionedId || deletedAt) throw permanent("The database server does not exist in AWS");
      const scope = cloud({ providerId, region });
      if (Object.keys(missingIn(server, input)).length > 0) {
        const seen = await requireUsableInstance(scope, provisionedId);
        const change = missingIn(settingsOf(seen), input);
        const isOfStorage = "storageGb" in change || "storageType" in change;
        if (isOfStorage && seen.status === "storage-optimization")
          throw poll("RDS to optimize the storage after its last change", {
            everySeconds: 60,
            limitMinutes: DAY_MINUTES,
          });
        if (Object.keys(change).length > 0) await scope.call(modifyDbInstance(provisionedId, change));
        await db.databaseServer.update({ where: { id }, data: input });
        if (server.replicationSourceId === null) {
          const { flavor: masterFlavor, multiAz: masterMultiAz } = input;
          const ofMaster = {
            ...(masterFlavor && { masterFlavor }),
            ...(masterMultiAz !== undefined && { masterMultiAz }),
          };
          await db.databaseService.update({ where: { id: databaseServiceId }, data: ofMaster });
        }
        recordProgress();
      }
      const seen = await scope.call(describeDbInstance(provisionedId));
      if (!seen) throw notShown(provisionedId);
      const isDone = Object.keys(missingIn(settingsOf(seen), input)).length === 0;
      await requireUsableInstance(scope, provisionedId, isDone);
    },
  },
});

type Settings = Parameters<typeof modifyDbInstance>[1];

/** The wanted settings that something does not have. */
function missingIn(has: Readonly<Record<string, unknown>>, wanted: Settings): Settings {
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => has[name] !== value));
}

function settingsOf({ flavor, storageGb, storageType, multiAz, backupRetentionDays }: DbInstanceState) {
  return { flavor, storageGb, storageType, multiAz, backupRetentionPeriod: backupRetentionDays };
}
