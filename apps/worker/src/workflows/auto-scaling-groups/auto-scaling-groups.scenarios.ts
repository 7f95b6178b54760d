import { deepEqual } from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { insertInto, type Prisma } from "@gantry/db";
import { createRequest } from "@gantry/requests";
import type { BlueprintServer } from "@gantry/resources";
import { REGION, ZONES } from "@gantry/test/support/account";
import { launchInstance } from "@gantry/test/support/instance";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { findGroup } from "../../aws/auto-scaling/group.js";
import { describeMembership } from "../../aws/auto-scaling/members.js";
import { setTemplateVersion, startRefresh } from "../../aws/auto-scaling/refreshes.js";
import { describeInstance } from "../../aws/ec2/describe-instance.js";
import { copyVersion } from "../../aws/ec2/template-versions.js";

const APP_MASTER = { instance: 1 };
const GROUP = { launch_template: 1, auto_scaling_group: 1 };

interface Changes {
  environment?: Partial<Prisma.EnvironmentUncheckedCreateInput>;
  server?: Partial<Prisma.ServerUncheckedCreateInput>;
}

/** An app master whose instance has no row in the ledger, in its own environment. */
async function appMaster({ db, customer }: Pick<ScenarioContext, "db" | "customer">, changes: Changes) {
  const { accountId, provider } = customer;
  const columns = { accountId, providerId: provider.id, region: REGION };
  const keys = { internalPublicKey: "ssh-ed25519 AAAA", internalPrivateKey: new Uint8Array() };
  const environment = await db.environment.create({
    data: { ...columns, ...keys, name: randomUUID(), ...changes.environment },
  });
  const server = await db.server.create({
    data: {
      ...columns,
      environmentId: environment.id,
      role: "app_master",
      flavor: "m3.medium",
      location: ZONES[0] as string,
      state: "running",
      provisionedId: await launchInstance(customer),
      ...changes.server,
    },
  });
  return { columns, environment, server };
}

/** Inserts a group around a new app master and creates its Request, as the API does. */
export async function requestGroup(
  context: Pick<ScenarioContext, "db" | "customer">,
  sizes = { minimumSize: 2, maximumSize: 3 },
  changes: Changes = {},
) {
  const { columns, environment, server } = await appMaster(context, changes);
  const id = randomUUID();
  const desiredCapacity = Math.max(sizes.minimumSize, 1);
  const row = { id, ...columns, environmentId: environment.id, ...sizes, desiredCapacity };
  const request = await createRequest(
    context.db,
    {
      type: "provision_auto_scaling_group",
      accountId: columns.accountId,
      resource: { type: "auto_scaling_group", id },
      input: { serverId: server.id },
      traceId: randomUUID().replaceAll("-", ""),
    },
    [insertInto("auto_scaling_groups", row)],
  );
  return { groupId: id, requestId: request.id, environment, server };
}

/** Inserts a blueprint with one application server of a group's account. */
export async function insertBlueprint(
  { db, customer: { accountId } }: Pick<ScenarioContext, "db" | "customer">,
  groupId: string,
  server: Omit<BlueprintServer, "role">,
): Promise<string> {
  const { environmentId } = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: groupId } });
  const servers = [{ role: "app", ...server }];
  const data = { id: randomUUID(), accountId, environmentId, name: "saved", servers };
  return (await db.blueprint.create({ data })).id;
}

async function provisionedGroup(context: ScenarioContext) {
  const { groupId } = await requestGroup(context);
  await context.finishRequests();
  return { type: "auto_scaling_group", id: groupId } as const;
}

/** Creates a Request for sizes behind a cancelled one for a flavor, whose replacement has begun in AWS. */
export async function requestSizesAfterCancel(context: ScenarioContext): Promise<string> {
  const { db, customer, aws } = context;
  const resource = await provisionedGroup(context);
  const where = { id: resource.id };
  const sizes = { minimumSize: 2, maximumSize: 3, desiredCapacity: 2 };
  const name = (await db.autoScalingGroup.findUniqueOrThrow({ where })).provisionedId ?? "";
  const templateId = (await findGroup(aws, name))?.LaunchTemplate?.LaunchTemplateId ?? "";
  await setTemplateVersion(name, { templateId, version: "1" })(aws);
  const version = await copyVersion(templateId, { from: "1", flavor: "m3.large", token: randomUUID() })(aws);
  await startRefresh(name, { templateId, version, minHealthyPercentage: 90 })(aws);
  const requestId = await createRequestOf(db, customer, "modify_auto_scaling_group", resource, { flavor: "m3.large" });
  const changing = { requestId, sizes, versions: { former: "1", wanted: version } };
  await db.autoScalingGroup.update({ where, data: { changing } });
  await db.request.update({ where: { id: requestId }, data: { cancelRequestedAt: new Date() } });
  return createRequestOf(db, customer, "update_auto_scaling_group", resource, sizes);
}

/** The records of a group and of the account's only server, the app master. */
async function readGroup({ db, customer }: ScenarioContext, id: string) {
  const group = await db.autoScalingGroup.findUniqueOrThrow({ where: { id }, include: { environment: true } });
  const appMaster = await db.server.findFirstOrThrow({ where: { accountId: customer.accountId } });
  return { group, environment: group.environment, appMaster, instanceId: appMaster.provisionedId ?? "" };
}

export const autoScalingGroupScenarios = {
  provision_auto_scaling_group: {
    createRequest: async (context) => (await requestGroup(context)).requestId,
    afterSuccess: { ...GROUP, instance: 2, volume: 1 },
    afterFailure: APP_MASTER,
  },
  update_auto_scaling_group: {
    createRequest: async (context) => {
      const group = await provisionedGroup(context);
      const sizes = { minimumSize: 0, maximumSize: 4, desiredCapacity: 3 };
      return createRequestOf(context.db, context.customer, "update_auto_scaling_group", group, sizes);
    },
    afterSuccess: { ...GROUP, instance: 3, volume: 2 },
    verify: async (context, { resourceId, input }) => {
      const { group, instanceId } = await readGroup(context, resourceId);
      const { minimumSize, maximumSize, desiredCapacity } = group;
      deepEqual({ minimumSize, maximumSize, desiredCapacity }, input);
      const AutoScalingGroupNames = [group.provisionedId ?? ""];
      const { AutoScalingGroups: [found] = [] } = await context.aws.autoScaling.send(
        new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames }),
      );
      const { MinSize, MaxSize, DesiredCapacity } = found ?? {};
      deepEqual([MinSize, MaxSize, DesiredCapacity], [minimumSize, maximumSize, desiredCapacity]);
      const protectedMembers = found?.Instances?.filter(({ ProtectedFromScaleIn }) => ProtectedFromScaleIn);
      deepEqual(
        protectedMembers?.map(({ InstanceId }) => InstanceId),
        [instanceId],
      );
    },
  },
  modify_auto_scaling_group: {
    createRequest: async (context) => {
      const group = await provisionedGroup(context);
      const blueprintId = await insertBlueprint(context, group.id, { flavor: "m3.large", dedicated: true });
      const input = { flavor: "m3.large", blueprintId, maximumSize: 4, desiredCapacity: 3 };
      return createRequestOf(context.db, context.customer, "modify_auto_scaling_group", group, input);
    },
    afterSuccess: { ...GROUP, instance: 3, volume: 2 },
    afterFailure: { ...GROUP, instance: 2, volume: 1 },
    verify: async (context, { resourceId, input }) => {
      const { group, instanceId } = await readGroup(context, resourceId);
      const { flavor, blueprintId, minimumSize, maximumSize, desiredCapacity } = group;
      deepEqual({ flavor, blueprintId, maximumSize, desiredCapacity }, input);
      const AutoScalingGroupNames = [group.provisionedId ?? ""];
      const { AutoScalingGroups: [found] = [] } = await context.aws.autoScaling.send(
        new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames }),
      );
      const { MinSize, MaxSize, DesiredCapacity, Instances = [], LaunchTemplate } = found ?? {};
      deepEqual([MinSize, MaxSize, DesiredCapacity], [minimumSize, maximumSize, desiredCapacity]);
      deepEqual(LaunchTemplate?.Version, "$Latest");
      const flavors = Instances.map(({ InstanceId, InstanceType }) => [InstanceId === instanceId, InstanceType]).sort();
      deepEqual(flavors, [
        [false, flavor],
        [false, flavor],
        [true, "t3.micro"],
      ]);
    },
  },
  deprovision_auto_scaling_group: {
    createRequest: async (context) => {
      const group = await provisionedGroup(context);
      return createRequestOf(context.db, context.customer, "deprovision_auto_scaling_group", group, {});
    },
    afterSuccess: APP_MASTER,
    verify: async (context, { resourceId }) => {
      const { group, environment, appMaster, instanceId } = await readGroup(context, resourceId);
      deepEqual(
        [group.deletedAt !== null, environment.autoScalingGroupId, appMaster.autoScalingGroupId],
        [true, null, null],
      );
      const instance = await describeInstance(instanceId)(context.aws);
      deepEqual([instance?.state, await describeMembership(instanceId)(context.aws)], ["running", undefined]);
    },
  },
} satisfies Scenarios;
