import { type DatabaseServer, Prisma } from "@gantry/db";
import {
  type DatabaseSettings,
  databaseColumns,
  databaseServerChanges,
  databaseSettings,
  pendingOf,
  pendingSettings,
  settingsAtOnce,
} from "@gantry/resources";
import { modifyDbInstance } from "../../aws/rds/db-instance.js";
import { type DbInstanceState, describeDbInstance, settingsOf } from "../../aws/rds/instance-state.js";
import { notShown, permanent, poll } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { isUsable, reasonNotRunning, requireUsableInstance, SLOW_POLL, untilChanged } from "./database-state.js";

const DAY_MINUTES = 1440;
const UNSHOWN_MINUTES = 10;

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
      const { provisionedId, providerId, region, deletedAt } = server;
      if (!provisionedId || deletedAt) throw permanent("The database server does not exist in AWS");
      const scope = cloud({ providerId, region });
      const { apply = "now", ...wanted } = input;
      const waiting = pendingSettings(server);
      const isRecorded =
        apply === "now"
          ? server.pending === null && isEmpty(missingIn(databaseSettings(server), wanted))
          : isEmpty(missingIn({ ...databaseSettings(server), ...waiting }, wanted));
      if (!isRecorded) {
        const seen = await requireUsableInstance(scope, provisionedId);
        const settled = without(settingsOf(seen), seen.pending);
        const change = missingIn(apply === "now" ? settled : { ...settled, ...seen.pending }, wanted);
        const isOfStorage = "storageGb" in change || "storageType" in change || "iops" in change;
        if (isOfStorage && seen.status === "storage-optimization")
          throw poll("RDS to optimize the storage after its last change", {
            everySeconds: 60,
            limitMinutes: DAY_MINUTES,
          });
        if (!isEmpty(change)) await scope.call(modifyDbInstance(provisionedId, change, apply));
        const pending = apply === "now" ? null : pendingOf({ ...waiting, ...wanted });
        const settings = apply === "now" ? wanted : settingsAtOnce(wanted);
        await recordSettings(db, server, settings, { pending: pending ?? Prisma.DbNull });
        recordProgress();
      }
    },

    "wait-until-applied": async ({ resourceId: id, input, db, cloud, minutesInStage }) => {
      const server = await db.databaseServer.findUniqueOrThrow({ where: { id } });
      const { provisionedId, providerId, region } = server;
      if (!provisionedId) throw permanent("The database server does not exist in AWS");
      const { apply = "now", ...wanted } = input;
      const expected = apply === "now" ? wanted : settingsAtOnce(wanted);
      if (isEmpty(expected)) return;
      const scope = cloud({ providerId, region });
      const seen = await scope.call(describeDbInstance(provisionedId));
      if (!seen) throw notShown(provisionedId);
      const missing = missingIn(without(settingsOf(seen), seen.pending), expected);
      if (isEmpty(missing)) {
        await requireUsableInstance(scope, provisionedId);
        return;
      }
      const end = endWithout(missing, seen, minutesInStage());
      if (end === undefined) throw untilChanged(scope, provisionedId, seen);
      const kept = Object.fromEntries(Object.entries(settingsOf(seen)).filter(([name]) => name in missing));
      await recordSettings(db, server, kept);
      throw permanent(end);
    },
  },
});

/** Why settings that RDS has accepted will not come soon; undefined while they may. */
function endWithout(missing: DatabaseSettings, seen: DbInstanceState, minutes: number): string | undefined {
  const reason = reasonNotRunning(seen);
  if (reason) return reason;
  const isUnderWay = !isUsable(seen) || Object.keys(missing).some((name) => name in seen.pending);
  // Before the wait itself ends. RDS may show for a moment what was before it accepted the change.
  if (minutes <= (isUnderWay ? SLOW_POLL.limitMinutes - 1 : UNSHOWN_MINUTES)) return undefined;
  const fields = Object.entries(databaseServerChanges).filter(([, { column }]) => column in missing);
  const names = fields.map(([name]) => name).join(", ");
  return `RDS did not complete the change of ${names}${isUnderWay ? ` in ${SLOW_POLL.limitMinutes} minutes` : ""}`;
}

/** Writes those of a master into its service first: a repetition finds the rest undone as long as the server has others. */
async function recordSettings(
  db: AwsStageContext["db"],
  { id, databaseServiceId, replicationSourceId }: DatabaseServer,
  settings: DatabaseSettings,
  others: Pick<Prisma.DatabaseServerUpdateInput, "pending"> = {},
): Promise<void> {
  if (replicationSourceId === null && !isEmpty(settings)) {
    const { flavor: masterFlavor, multiAz: masterMultiAz, version } = settings;
    const ofMaster = {
      ...(version && { version }),
      ...(masterFlavor && { masterFlavor }),
      ...(masterMultiAz !== undefined && { masterMultiAz }),
    };
    await db.databaseService.update({ where: { id: databaseServiceId }, data: ofMaster });
  }
  // RDS gives storage of another type its own IOPS.
  const iops = settings.storageType !== undefined && settings.storageType !== "gp3" ? { iops: null } : {};
  await db.databaseServer.update({ where: { id }, data: { ...databaseColumns(settings), ...iops, ...others } });
}

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
