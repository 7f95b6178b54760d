import { createAddress, createServer, createVolume } from "@gantry/test/support/api";
import { createStandingEnvironment } from "@gantry/test/support/firewall";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

/** A server with a disk for its data, not made yet. Its environment's firewall stands. */
async function newServer({ db, customer }: Stage) {
  const environment = await createStandingEnvironment(db, customer);
  const pending = { state: "pending", provisionedId: null, provisionedAt: null };
  const { id } = await createServer(db, environment, pending);
  const disk = { serverId: id, name: "data", device: "/dev/xvdf", mount: "/data", sizeGb: 4 };
  await createVolume(db, customer.provider, { ...disk, state: "pending", provisionedId: null });
  return { type: "server", id } as const;
}

function openServer({ db, customer }: Stage, server: { type: "server"; id: number }, addressId: number | null = null) {
  return open(db, customer, "provision_server", server, { addressId });
}

/** A server that runs. */
export async function standingServer(stage: Stage) {
  const server = await newServer(stage);
  await openServer(stage, server);
  await stage.settle();
  return server;
}

/** An address of the account's that no server has. */
async function freeAddress({ db, customer, settle }: Stage): Promise<number> {
  const { id } = await createAddress(db, customer.provider, { ipAddress: null, provisionedId: null });
  await open(db, customer, "address_provision", { type: "address", id }, {});
  await settle();
  return id;
}

const SERVER = { instance: 1, volume: 2 };

export const serverScenarios = {
  provision_server: {
    open: async (stage) => openServer(stage, await newServer(stage), await freeAddress(stage)),
    afterSuccess: { ...SERVER, address: 1 },
    afterFailure: { address: 1 },
  },
  deprovision_server: {
    open: async (stage) => {
      const server = await newServer(stage);
      await openServer(stage, server, await freeAddress(stage));
      await stage.settle();
      return open(stage.db, stage.customer, "deprovision_server", server, {});
    },
    afterSuccess: { address: 1 },
  },
  instance_update: {
    open: async (stage) => {
      const server = await standingServer(stage);
      return open(stage.db, stage.customer, "instance_update", server, { action: "apply" });
    },
    afterSuccess: SERVER,
  },
  discover_server: {
    open: async (stage) => {
      const server = await standingServer(stage);
      return open(stage.db, stage.customer, "discover_server", server, {});
    },
    afterSuccess: SERVER,
  },
} satisfies Scenarios;
