import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { launchInstance } from "@gantry/test/support/instance";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

/** A volume that is not created yet. */
async function newVolume({ db, customer }: ScenarioContext) {
  const wanted = { provisionedId: null, state: "pending", sizeGb: 4, volumeType: "io1", iops: 100 };
  const { id } = await createVolume(db, customer.provider, wanted);
  return { type: "volume", id } as const;
}

async function provisionedVolume(context: ScenarioContext) {
  const volume = await newVolume(context);
  await open(context.db, context.customer, "volume_provision", volume, {});
  await context.finishOpenRequests();
  return volume;
}

async function attachment(context: ScenarioContext) {
  const { db, customer } = context;
  const volume = await provisionedVolume(context);
  const environment = await createEnvironment(db, customer.provider);
  const server = await createServer(db, environment, { provisionedId: await launchInstance(customer) });
  const input = { serverId: server.id, device: "/dev/xvdf" };
  return { volume, server, requestId: await open(db, customer, "attach_volume", volume, input) };
}

/** A server with an attached volume. */
export async function serverWithVolume(context: ScenarioContext) {
  const { volume, server } = await attachment(context);
  await context.finishOpenRequests();
  return { volume, server };
}

export const volumeScenarios = {
  volume_provision: {
    open: async (context) => open(context.db, context.customer, "volume_provision", await newVolume(context), {}),
    afterSuccess: { volume: 1 },
    afterFailure: {},
  },
  attach_volume: {
    open: async (context) => (await attachment(context)).requestId,
    afterSuccess: { volume: 1, instance: 1 },
  },
  detach_volume: {
    open: async (context) => {
      const { volume } = await serverWithVolume(context);
      return open(context.db, context.customer, "detach_volume", volume, {});
    },
    afterSuccess: { volume: 1, instance: 1 },
  },
  deprovision_volume: {
    open: async (context) =>
      open(context.db, context.customer, "deprovision_volume", await provisionedVolume(context), {}),
    afterSuccess: {},
  },
} satisfies Scenarios;
