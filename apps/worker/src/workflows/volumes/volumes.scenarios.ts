import { createEnvironment, createServer, createVolume } from "@gantry/test/support/api";
import { launchInstance } from "@gantry/test/support/instance";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

/** A disk that is not made yet. */
async function newVolume({ db, customer }: Stage) {
  const wanted = { provisionedId: null, state: "pending", sizeGb: 4, volumeType: "io1", iops: 100 };
  const { id } = await createVolume(db, customer.provider, wanted);
  return { type: "volume", id } as const;
}

async function freeVolume(stage: Stage) {
  const volume = await newVolume(stage);
  await open(stage.db, stage.customer, "volume_provision", volume, {});
  await stage.settle();
  return volume;
}

async function attachment(stage: Stage) {
  const { db, customer } = stage;
  const volume = await freeVolume(stage);
  const environment = await createEnvironment(db, customer.provider);
  const server = await createServer(db, environment, { provisionedId: await launchInstance(customer) });
  const input = { serverId: server.id, device: "/dev/xvdf" };
  return { volume, server, requestId: await open(db, customer, "attach_volume", volume, input) };
}

/** A server with a disk attached to it. */
export async function serverWithVolume(stage: Stage) {
  const { volume, server } = await attachment(stage);
  await stage.settle();
  return { volume, server };
}

export const volumeScenarios = {
  volume_provision: {
    open: async (stage) => open(stage.db, stage.customer, "volume_provision", await newVolume(stage), {}),
    afterSuccess: { volume: 1 },
    afterFailure: {},
  },
  attach_volume: {
    open: async (stage) => (await attachment(stage)).requestId,
    afterSuccess: { volume: 1, instance: 1 },
  },
  detach_volume: {
    open: async (stage) => {
      const { volume } = await serverWithVolume(stage);
      return open(stage.db, stage.customer, "detach_volume", volume, {});
    },
    afterSuccess: { volume: 1, instance: 1 },
  },
  deprovision_volume: {
    open: async (stage) => open(stage.db, stage.customer, "deprovision_volume", await freeVolume(stage), {}),
    afterSuccess: {},
  },
} satisfies Scenarios;
