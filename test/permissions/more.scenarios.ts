import { randomUUID } from "node:crypto";
import {
  AssociateRouteTableCommand,
  DescribeInternetGatewaysCommand,
  DescribeRouteTablesCommand,
  EC2Client,
  EnableEbsEncryptionByDefaultCommand,
} from "@aws-sdk/client-ec2";
import { CreateDBParameterGroupCommand } from "@aws-sdk/client-rds";
import type { Env } from "@gantry/runtime";
import {
  requestGroup,
  requestSizesAfterCancel,
  requestTags,
  restoreScenarios,
  rootSnapshotScenarios,
  scenarios,
  snapshotRestoreScenarios,
} from "../../apps/worker/src/workflows/all.scenarios.js";
import { aws, REGION } from "../support/account.js";
import { addSnapshot, requestDatabaseService } from "../support/databases.js";
import type { Scenario, ScenarioContext } from "../support/scenario.js";
import { awsEndpoint } from "../support/stack.js";
import { createRequestOf, requestIamRole, requestNetwork } from "../support/work.js";

/** A scenario that may need other settings of the worker, or faults that would hit the scenarios beside it. */
export type MoreScenario = Scenario & { settings?: Partial<Env>; isAlone?: true };

const AURORA = { engine: "aurora", version: "5.6.10a", flavor: "db.r3.large" };

/** A server that runs, by the scenario that reads one. */
async function runningServer(context: ScenarioContext): Promise<{ type: "server"; id: number }> {
  await scenarios.discover_server.createRequest(context);
  await context.finishRequests();
  const { id } = await context.db.server.findFirstOrThrow({ where: { accountId: context.customer.accountId } });
  return { type: "server", id };
}

/** Opens the application of a server's record, in which its role is another one than in AWS. */
async function changeRole(context: ScenarioContext, had: boolean, has: boolean): Promise<string> {
  const { db, customer } = context;
  const role = async (name?: string) => {
    const { id } = await requestIamRole(db, customer, name ? { name } : {});
    await context.finishRequests();
    return id;
  };
  const server = await runningServer(context);
  const apply = (iamRoleId: string | null) =>
    db.server
      .update({ where: { id: server.id }, data: { iamRoleId } })
      .then(() => createRequestOf(db, customer, "instance_update", server, { action: "apply" }));
  if (had) {
    await apply(await role(`former-${customer.accountId}`));
    await context.finishRequests();
  }
  return apply(has ? await role() : null);
}

function power(action: "start" | "stop" | "reboot"): Scenario {
  return {
    createRequest: async (context) => {
      const server = await runningServer(context);
      if (action === "start") {
        await createRequestOf(context.db, context.customer, "instance_update", server, { action: "stop" });
        await context.finishRequests();
      }
      return createRequestOf(context.db, context.customer, "instance_update", server, { action });
    },
    afterSuccess: {},
  };
}

function databasePower(action: "start" | "reboot"): Scenario {
  return {
    createRequest: async ({ db, env, customer, finishRequests }) => {
      const { masterId: id } = await requestDatabaseService(db, env, customer);
      await finishRequests();
      const resource = { type: "database_server", id } as const;
      if (action === "start") {
        await createRequestOf(db, customer, "update_database_server", resource, { action: "stop" });
        await finishRequests();
      }
      return createRequestOf(db, customer, "update_database_server", resource, { action });
    },
    afterSuccess: {},
  };
}

async function auroraDatabase({ db, env, customer, finishRequests }: ScenarioContext) {
  const database = await requestDatabaseService(db, env, customer, AURORA);
  await finishRequests();
  return database;
}

async function auroraSnapshot(context: ScenarioContext) {
  const { db, customer } = context;
  const { id } = await addSnapshot(db, customer, (await auroraDatabase(context)).masterId);
  const resource = { type: "database_server_snapshot", id } as const;
  return {
    resource,
    requestId: await createRequestOf(db, customer, "provision_database_server_snapshot", resource, {}),
  };
}

/** Scenarios of calls that the scenario of each request type leaves out. */
export const moreScenarios: Record<string, MoreScenario> = {
  "a stop": power("stop"),
  "a start": power("start"),
  "a reboot": power("reboot"),
  "new sizes behind a cancelled flavor of a scaling group": {
    createRequest: requestSizesAfterCancel,
    afterSuccess: {},
  },
  "the start of a database server": databasePower("start"),
  "the reboot of a database server": databasePower("reboot"),
  "a server's first role": { createRequest: (context) => changeRole(context, false, true), afterSuccess: {} },
  "a server's next role": { createRequest: (context) => changeRole(context, true, true), afterSuccess: {} },
  "a server's last role": { createRequest: (context) => changeRole(context, true, false), afterSuccess: {} },
  "a role with an inline policy": {
    createRequest: async ({ db, customer }) => (await requestIamRole(db, customer)).requestId,
    afterSuccess: {},
  },
  "a scan of a role with an inline policy": {
    createRequest: async ({ db, customer, finishRequests }) => {
      await requestIamRole(db, customer);
      await finishRequests();
      const account = { type: "account", id: customer.accountId } as const;
      return createRequestOf(db, customer, "scan_drift", account, { quietSeconds: 0 });
    },
    afterSuccess: {},
  },
  "the removal of a role with its own policy": {
    createRequest: async ({ db, customer, finishRequests }) => {
      const { id } = await requestIamRole(db, customer, { userManagedPolicy: true });
      await finishRequests();
      return createRequestOf(db, customer, "deprovision_iam_role", { type: "iam_role", id }, {});
    },
    afterSuccess: {},
  },
  "the removal of a network whose route table has an association": {
    createRequest: async ({ db, customer, aws, finishRequests }) => {
      const { networkId: id } = await requestNetwork(db, customer, { skipSubnets: true });
      await finishRequests();
      const Filters = [{ Name: "tag:gantry:resource", Values: [`network/${id}`] }];
      const { RouteTables } = await aws.ec2.send(new DescribeRouteTablesCommand({ Filters }));
      const { InternetGateways } = await aws.ec2.send(new DescribeInternetGatewaysCommand({ Filters }));
      const [RouteTableId, GatewayId] = [RouteTables?.[0]?.RouteTableId, InternetGateways?.[0]?.InternetGatewayId];
      await aws.ec2.send(new AssociateRouteTableCommand({ RouteTableId, GatewayId }));
      return createRequestOf(db, customer, "deprovision_network", { type: "network", id }, {});
    },
    afterSuccess: {},
  },
  "an Aurora database": {
    createRequest: async ({ db, env, customer }) => (await requestDatabaseService(db, env, customer, AURORA)).requestId,
    afterSuccess: {},
  },
  "a snapshot of an Aurora database": {
    createRequest: async (context) => (await auroraSnapshot(context)).requestId,
    afterSuccess: {},
  },
  "the removal of such a snapshot": {
    createRequest: async (context) => {
      const { resource } = await auroraSnapshot(context);
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "deprovision_database_server_snapshot", resource, {});
    },
    afterSuccess: {},
  },
  "the removal of an Aurora database": {
    createRequest: async (context) => {
      const { id } = await auroraDatabase(context);
      const resource = { type: "database_service", id } as const;
      return createRequestOf(context.db, context.customer, "deprovision_database_service", resource, {
        finalSnapshotId: null,
      });
    },
    afterSuccess: {},
  },
  "the tags of a database and its snapshot": {
    createRequest: async (context) => {
      const { db, customer, finishRequests } = context;
      const { resource } = await auroraSnapshot(context);
      await finishRequests();
      const { databaseServer } = await db.databaseServerSnapshot.findUniqueOrThrow({
        where: { id: resource.id },
        include: { databaseServer: true },
      });
      const service = { type: "database_service", id: databaseServer.databaseServiceId } as const;
      const server = { type: "database_server", id: databaseServer.id } as const;
      return requestTags({ db, customer }, [service, server, resource], { team: "shop" }, ["former"]);
    },
    afterSuccess: {},
  },
  "the tags of a scaling group": {
    createRequest: async (context) => {
      const { groupId } = await requestGroup(context);
      await context.finishRequests();
      return requestTags(context, [{ type: "auto_scaling_group", id: groupId }], { team: "shop" }, ["former"]);
    },
    afterSuccess: {},
  },
  "the tags of a firewall and its key pair": {
    createRequest: async (context) => {
      await scenarios.provision_default_firewall.createRequest(context);
      await context.finishRequests();
      const { accountId } = context.customer;
      const { id } = await context.db.firewall.findFirstOrThrow({ where: { accountId } });
      return requestTags(context, [{ type: "firewall", id }], { team: "shop" }, ["former"]);
    },
    afterSuccess: {},
  },
  "a database restored to a time": restoreScenarios.provision_database_service,
  "a database restored from a snapshot": snapshotRestoreScenarios.provision_database_service,
  "a server from the snapshot of a root disk": rootSnapshotScenarios.provision_server,
  "the removal of such a server": rootSnapshotScenarios.deprovision_server,
  "a server that reports nothing": { ...scenarios.provision_server, settings: { SERVER_REPORTS: "none" } },
  "a group whose first launches fail": {
    createRequest: async (context) => {
      const { requestId } = await requestGroup(context, { minimumSize: 2, maximumSize: 2 });
      const message = "We currently do not have sufficient m3.medium capacity in the Availability Zone you requested.";
      const { accountId } = context.customer.awsAccount;
      await aws.refuse("RunInstances", { code: "InsufficientInstanceCapacity", message, times: 2, accountId });
      return requestId;
    },
    afterSuccess: {},
    isAlone: true,
  },
  "the removal of a database with a parameter group of an earlier version": {
    createRequest: async (context) => {
      const { db, env, customer } = context;
      const { accountId, provider } = customer;
      const service = await requestDatabaseService(db, env, customer);
      await context.finishRequests();
      const id = randomUUID();
      await context.aws.rds.send(
        new CreateDBParameterGroupCommand({
          DBParameterGroupName: `gantry-${id}`,
          DBParameterGroupFamily: "mysql8.0",
          Description: "of an earlier version",
        }),
      );
      const resource = { type: "database_service", id: service.id } as const;
      const owner = { resourceType: resource.type, resourceId: resource.id, requestId: service.requestId };
      const place = { accountId, providerId: provider.id, region: REGION };
      await db.cloudObject.create({
        data: { id, ...owner, ...place, kind: "db_parameter_group", key: "", params: {} },
      });
      return createRequestOf(db, customer, "deprovision_database_service", resource, { finalSnapshotId: null });
    },
    afterSuccess: {},
  },
  "a check of an account that encrypts by default": {
    createRequest: async ({ db, customer }) => {
      const region = "eu-west-1";
      const ec2 = new EC2Client({ endpoint: awsEndpoint, region, credentials: customer.awsAccount });
      await ec2.send(new EnableEbsEncryptionByDefaultCommand({}));
      const resource = { type: "provider", id: customer.provider.id } as const;
      return createRequestOf(db, customer, "check_provider", resource, { regions: [region] });
    },
    afterSuccess: {},
  },
  "a region with an unknown instance type": {
    createRequest: async (context) => {
      const requestId = await scenarios.discover_provider_location.createRequest(context);
      await context.db.instanceType.deleteMany({ where: { name: "t3.nano" } });
      return requestId;
    },
    afterSuccess: {},
    isAlone: true,
  },
};
