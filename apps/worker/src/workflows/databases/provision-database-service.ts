import { databaseSettings } from "@gantry/resources";
import { defaultSubnets } from "../../aws/ec2/default-vpc.js";
import { dbCluster } from "../../aws/rds/db-cluster.js";
import { dbInstance } from "../../aws/rds/db-instance.js";
import { dbSubnetGroup } from "../../aws/rds/db-subnet-group.js";
import { permanent } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { allowEnvironment } from "../firewalls/allow-environment.js";
import { provisionedSubnetIds } from "../networks/provisioned-subnets.js";
import { createDatabaseFirewall, findDatabase, markDatabaseDeleted, ownedBy, removeDatabaseRules } from "./database.js";
import { observedColumns, requireAvailableCluster, requireAvailableInstance } from "./database-state.js";
import { masterParams } from "./master-params.js";
import { passwordLocation, setMasterPassword } from "./master-password.js";
import { findRestorePoint, hasExtendedSource, isRestore } from "./restore-point.js";

/**
 * Creates a database, empty or restored: its firewall, its master, and then the credentials that its record shows. The
 * master is created with a random password, or restored with its source's, since the ledger keeps the parameters of a
 * create. Its real password goes from the sealed record only to RDS.
 */
export const provisionDatabaseService = awsWorkflow({
  type: "provision_database_service",
  stages: {
    "create-firewall": createDatabaseFirewall,

    "create-master": async ({ resourceId, input, db, cloud }) => {
      const { service, master, firewall, location } = await findDatabase(db, resourceId);
      const { provisionedId: securityGroupId, vpcProvisionedId: vpcId } = firewall;
      if (!securityGroupId || !vpcId) throw permanent("The database has no firewall");
      const scope = cloud(location);
      const subnetIds = service.networkId
        ? await provisionedSubnetIds(db, service.networkId)
        : await scope.call(defaultSubnets({ vpcId }));
      const subnetGroup = await scope.ensure(dbSubnetGroup, { subnetIds });
      const extendedSupport = input.extendedSupport ?? (await hasExtendedSource(db, scope, input));
      const params = masterParams(service, master, { subnetGroup, securityGroupId, extendedSupport });
      const clusterId = params.cluster ? await scope.ensure(dbCluster, params.cluster) : null;
      const masterScope = cloud({ ...location, ...ownedBy("database_server", master.id) });
      const from = await findRestorePoint(db, scope, input);
      const own = from ? { ...params.restored, from } : params.master;
      const instance = clusterId ? { ...params.member, clusterId } : own;
      const identifier = await masterScope.ensure(dbInstance, instance);
      const seen = await requireAvailableInstance(masterScope, identifier);
      // The next stage sets the maintenance window of a restored instance.
      const shown = from ? { ...seen, maintenanceWindow: undefined } : seen;
      const observed = observedColumns(identifier, service.engine, shown);
      const version = observed.version ?? service.version;
      await db.databaseService.update({ where: { id: service.id }, data: { clusterId, version } });
      await db.databaseServer.update({
        where: { id: master.id },
        data: { ...observed, state: "made" },
      });
    },

    "create-provider-credentials": async (context) => {
      const { resourceId, input, db, cloud, vault } = context;
      const { service, master, location } = await findDatabase(db, resourceId);
      const { clusterId, password } = service;
      const { provisionedId } = master;
      if (!password || !provisionedId) throw permanent("The database has no credentials");
      const scope = cloud(location);
      const setState = (state: string) => db.databaseServer.update({ where: { id: master.id }, data: { state } });
      if (master.state === "made") {
        const masterPassword = await vault.decrypt(password, passwordLocation(service));
        const window = isRestore(input) && { maintenanceWindow: databaseSettings(master).maintenanceWindow };
        await setMasterPassword(scope, { clusterId, provisionedId, ...window }, masterPassword);
        await setState("taking-credentials");
      }
      await requireAvailableInstance(scope, provisionedId);
      if (clusterId) await requireAvailableCluster(scope, clusterId);
      await setState("available");
      await allowEnvironment(context, service.environmentId);
    },
  },
  // A boot of the environment may have added a rule.
  undo: async ({ resourceId, db, cloud }) => {
    const { firewall, location } = await findDatabase(db, resourceId);
    await removeDatabaseRules({ db, cloud }, firewall.id, location);
  },
  discard: async ({ resourceId, db }) => {
    const cleared = { provisionedId: null, provisionerId: null, endpoint: null };
    await db.databaseServer.updateMany({ where: { databaseServiceId: resourceId }, data: cleared });
    await db.databaseService.update({ where: { id: resourceId }, data: { clusterId: null } });
    await db.firewall.updateMany({ where: { databaseServiceId: resourceId }, data: { provisionedId: null } });
    await markDatabaseDeleted(db, resourceId);
  },
});
