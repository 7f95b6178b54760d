import { randomUUID } from "node:crypto";
import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import { insertInto } from "@gantry/db";
import { openRequest } from "@gantry/requests";
import { REGION, ZONES } from "@gantry/test/support/account";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";

const APP_MASTER = { instance: 1, volume: 1 };
const GROUP = { launch_template: 1, auto_scaling_group: 1 };

/** An app master whose instance has no row in the ledger, in its own environment. */
async function appMaster({ db, customer }: Pick<ScenarioContext, "db" | "customer">) {
  const { accountId, provider, awsAccount } = customer;
  const Tags = [{ Key: "gantry:account", Value: accountId }];
  const { Instances } = await awsOpener(10)(REGION, awsAccount).ec2.send(
    new RunInstancesCommand({
      ImageId: "ami-03cf127a",
      InstanceType: "m3.medium",
      MinCount: 1,
      MaxCount: 1,
      Placement: { AvailabilityZone: ZONES[0] },
      TagSpecifications: [
        { ResourceType: "instance", Tags },
        { ResourceType: "volume", Tags },
      ],
    }),
  );
  const columns = { accountId, providerId: provider.id, region: REGION };
  const keys = { internalPublicKey: "ssh-ed25519 AAAA", internalPrivateKey: new Uint8Array() };
  const environment = await db.environment.create({ data: { ...columns, ...keys, name: randomUUID() } });
  const server = await db.server.create({
    data: {
      ...columns,
      environmentId: environment.id,
      role: "app_master",
      flavor: "m3.medium",
      location: ZONES[0] as string,
      state: "running",
      provisionedId: Instances?.[0]?.InstanceId ?? "",
    },
  });
  return { columns, environment, server };
}

/** Accepts a group around a new app master, as the API does. */
export async function openGroup(
  context: Pick<ScenarioContext, "db" | "customer">,
  sizes = { minimumSize: 2, maximumSize: 3 },
) {
  const { columns, environment, server } = await appMaster(context);
  const id = randomUUID();
  const desiredCapacity = Math.max(sizes.minimumSize, 1);
  const row = { id, ...columns, environmentId: environment.id, ...sizes, desiredCapacity };
  const request = await openRequest(
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

async function provisionedGroup(context: ScenarioContext): Promise<string> {
  const { groupId } = await openGroup(context);
  await context.finishOpenRequests();
  return groupId;
}

export const autoScalingGroupScenarios = {
  provision_auto_scaling_group: {
    open: async (context) => (await openGroup(context)).requestId,
    afterSuccess: { ...GROUP, instance: 2, volume: 2 },
    afterFailure: APP_MASTER,
  },
  update_auto_scaling_group: {
    open: async (context) => {
      const id = await provisionedGroup(context);
      const sizes = { minimumSize: 0, maximumSize: 4, desiredCapacity: 3 };
      return open(context.db, context.customer, "update_auto_scaling_group", { type: "auto_scaling_group", id }, sizes);
    },
    afterSuccess: { ...GROUP, instance: 3, volume: 3 },
  },
  deprovision_auto_scaling_group: {
    open: async (context) => {
      const id = await provisionedGroup(context);
      return open(
        context.db,
        context.customer,
        "deprovision_auto_scaling_group",
        { type: "auto_scaling_group", id },
        {},
      );
    },
    afterSuccess: APP_MASTER,
  },
} satisfies Scenarios;
