import { createAddress, createServer, createVolume } from "@gantry/test/support/api";
import { createProvisionedEnvironment } from "@gantry/test/support/firewall";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { open } from "@gantry/test/support/work";

/** A server with a data volume, not created yet. The firewall of its environment exists. */
async function newServer({ db, customer }: ScenarioContext) {
  const environment = await createProvisionedEnvironment(db, customer);
  const pending = { state: "pending", provisionedId: null, provisionedAt: null };
  const { id } = await createServer(db, environment, pending);
  const disk = { serverId: id, name: "data", device: "/dev/xvdf", mount: "/data", sizeGb: 4 };
  await createVolume(db, customer.provider, { ...disk, state: "pending", provisionedId: null });
  return { type: "server", id } as const;
}

function openServer(
  { db, customer }: ScenarioContext,
  server: { type: "server"; id: number },
  addressId: number | null = null,
) {
  return open(db, customer, "provision_server", server, { addressId });
}

/** A server that runs. */
export async function runningServer(context: ScenarioContext) {
  const server = await newServer(context);
  await openServer(context, server);
  await context.finishOpenRequests();
  return server;
}

/** An allocated address without a server. */
async function provisionedAddress({ db, customer, finishOpenRequests }: ScenarioContext): Promise<number> {
  const { id } = await createAddress(db, customer.provider, { ipAddress: null, provisionedId: null });
  await open(db, customer, "address_provision", { type: "address", id }, {});
  await finishOpenRequests();
  return id;
}

const SERVER = { instance: 1, volume: 2 };

export const serverScenarios = {
  provision_server: {
    open: async (context) => openServer(context, await newServer(context), await provisionedAddress(context)),
    afterSuccess: { ...SERVER, address: 1 },
    afterFailure: { address: 1 },
  },
  deprovision_server: {
    open: async (context) => {
      const server = await newServer(context);
      await openServer(context, server, await provisionedAddress(context));
      await context.finishOpenRequests();
      return open(context.db, context.customer, "deprovision_server", server, {});
    },
    afterSuccess: { address: 1 },
  },
  instance_update: {
    open: async (context) => {
      const server = await runningServer(context);
      return open(context.db, context.customer, "instance_update", server, { action: "apply" });
    },
    afterSuccess: SERVER,
  },
  discover_server: {
    open: async (context) => {
      const server = await runningServer(context);
      return open(context.db, context.customer, "discover_server", server, {});
    },
    afterSuccess: SERVER,
  },
} satisfies Scenarios;
