import { createAddress, createEnvironment, createServer } from "@gantry/test/support/api";
import { launchInstance } from "@gantry/test/support/instance";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

/** An address that is not taken yet. */
async function newAddress({ db, customer }: Stage) {
  const { id } = await createAddress(db, customer.provider, { provisionedId: null, ipAddress: null });
  return { type: "address", id } as const;
}

async function takenAddress(stage: Stage) {
  const address = await newAddress(stage);
  await open(stage.db, stage.customer, "address_provision", address, {});
  await stage.settle();
  return address;
}

async function runningServer({ db, customer }: Stage): Promise<number> {
  const environment = await createEnvironment(db, customer.provider);
  return (await createServer(db, environment, { provisionedId: await launchInstance(customer) })).id;
}

async function attachment(stage: Stage) {
  const [address, serverId] = [await takenAddress(stage), await runningServer(stage)];
  const requestId = await open(stage.db, stage.customer, "attach_address", address, { serverId });
  return { address, requestId };
}

export const addressScenarios = {
  address_provision: {
    open: async (stage) => open(stage.db, stage.customer, "address_provision", await newAddress(stage), {}),
    afterSuccess: { address: 1 },
    afterFailure: {},
  },
  attach_address: {
    open: async (stage) => (await attachment(stage)).requestId,
    afterSuccess: { address: 1, instance: 1 },
  },
  detach_address: {
    open: async (stage) => {
      const { address } = await attachment(stage);
      await stage.settle();
      return open(stage.db, stage.customer, "detach_address", address, {});
    },
    afterSuccess: { address: 1, instance: 1 },
  },
  deprovision_address_request: {
    open: async (stage) => open(stage.db, stage.customer, "deprovision_address_request", await takenAddress(stage), {}),
    afterSuccess: {},
  },
} satisfies Scenarios;
