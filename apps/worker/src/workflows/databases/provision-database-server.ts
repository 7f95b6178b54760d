import { rdsEngineName } from "@gantry/aws-facts";
import { type DbInstanceParams, dbInstance } from "../../aws/rds/db-instance.js";
import type { DbInstanceState } from "../../aws/rds/instance-state.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { updateReplicaCount } from "./database.js";
import { observedColumns, requireAvailableInstance } from "./database-state.js";

/** Creates a replica: a read replica of its source, or in Aurora one more member of the cluster. */
export const provisionDatabaseServer = awsWorkflow({
  type: "provision_database_server",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const server = await db.databaseServer.findUniqueOrThrow({
        where: { id: resourceId },
        include: { databaseService: true },
      });
      const { providerId, region, engine, databaseService: service } = server;
      const source = await db.databaseServer.findUniqueOrThrow({ where: { id: server.replicationSourceId ?? "" } });
      const sourceId = source.provisionedId;
      if (!sourceId || source.deletedAt)
        throw permanent("The server that this replica replicates does not exist in AWS");

      const scope = cloud({ providerId, region, environmentId: service.environmentId });
      const params = paramsOf(await requireAvailableInstance(scope, sourceId));
      const identifier = await scope.ensure(dbInstance, params);
      const instance = await requireAvailableInstance(scope, identifier);
      await db.databaseServer.update({
        where: { id: resourceId },
        data: { ...observedColumns(identifier, engine, instance), state: "available" },
      });
      await updateReplicaCount(db, service.id);

      function paramsOf({ securityGroupIds }: DbInstanceState): DbInstanceParams {
        const size = { flavor: server.flavor, zone: server.location };
        const { clusterId } = service;
        return clusterId
          ? { ...size, clusterId, engine: rdsEngineName(engine) }
          : { ...size, sourceId: sourceId ?? "", securityGroupIds };
      }
    },
  },
  discard: async ({ resourceId, db }) => {
    const data = { deletedAt: new Date(), provisionedId: null };
    const { databaseServiceId } = await db.databaseServer.update({ where: { id: resourceId }, data });
    await updateReplicaCount(db, databaseServiceId);
  },
});
