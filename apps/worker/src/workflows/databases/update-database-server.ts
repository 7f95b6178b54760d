import { Prisma } from "@gantry/db";
import { pendingOf } from "@gantry/resources";
import { rebootDbInstance, startDbInstance, stopDbInstance } from "../../aws/rds/db-instance.js";
import { describeDbInstance } from "../../aws/rds/instance-state.js";
import { notShown, permanent } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { observedColumns, requireState, requireUsableInstance } from "./database-state.js";

const UNDER_WAY = { start: "starting", stop: "stopping", reboot: "rebooting" } as const;

/**
 * Starts, stops or reboots a database server by what RDS shows, and records its state. RDS is asked for nothing that it does or
 * has done already; only a reboot whose answer was lost, and which was over when the next try looked, is made twice.
 */
export const updateDatabaseServer = awsWorkflow({
  type: "update_database_server",
  stages: {
    update: async (context) => {
      const { resourceId: id, input, db, recordProgress } = context;
      const { action, failover = false } = input;
      const { provisionedId, scope } = await findServer(context);
      const seen = await scope.call(describeDbInstance(provisionedId));
      if (!seen) throw notShown(provisionedId);
      const { status } = seen;
      const isStopped = status === "stopped";
      if (status === UNDER_WAY[action] || (isStopped && action === "stop")) return;
      if (isStopped && action === "start") await scope.call(startDbInstance(provisionedId));
      else {
        await requireUsableInstance(scope, provisionedId);
        if (action === "start") return;
        await scope.call(action === "stop" ? stopDbInstance(provisionedId) : rebootDbInstance(provisionedId, failover));
      }
      await db.databaseServer.update({ where: { id }, data: { state: UNDER_WAY[action] } });
      recordProgress();
    },

    "wait-until-updated": async (context) => {
      const { resourceId: id, input, db } = context;
      const { server, provisionedId, scope } = await findServer(context);
      const state = input.action === "stop" ? "stopped" : "available";
      const seen = await requireState(scope, provisionedId, state);
      if (state === "stopped") {
        await db.databaseServer.update({ where: { id }, data: { state } });
        return;
      }
      const { engine, databaseServiceId, replicationSourceId } = server;
      const flavor = seen.flavor ?? server.flavor;
      if (replicationSourceId === null) {
        const ofMaster = { masterFlavor: flavor, masterMultiAz: seen.multiAz };
        const data = { ...ofMaster, ...(seen.version && { version: seen.version }) };
        await db.databaseService.update({ where: { id: databaseServiceId }, data });
      }
      const pending = pendingOf(seen.pending) ?? Prisma.DbNull;
      const data = { ...observedColumns(provisionedId, engine, seen), flavor, pending, state };
      await db.databaseServer.update({ where: { id }, data });
    },
  },
});

async function findServer({ resourceId: id, db, cloud }: Pick<AwsStageContext, "resourceId" | "db" | "cloud">) {
  const server = await db.databaseServer.findUniqueOrThrow({ where: { id } });
  const { provisionedId, providerId, region, deletedAt } = server;
  if (!provisionedId || deletedAt) throw permanent("The database server does not exist in AWS");
  return { server, provisionedId, scope: cloud({ providerId, region }) };
}
