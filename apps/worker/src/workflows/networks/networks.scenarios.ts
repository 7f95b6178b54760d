import { ZONES } from "@gantry/test/support/account";
import type { Scenarios, Stage } from "@gantry/test/support/scenario";
import { open, openNetwork, openSubnet } from "@gantry/test/support/work";

const NETWORK = { vpc: 1, internet_gateway: 1, route_table: 1 };

async function network({ db, customer, settle }: Stage, skipSubnets: boolean): Promise<string> {
  const { networkId } = await openNetwork(db, customer, { skipSubnets });
  await settle();
  return networkId;
}

export const networkScenarios = {
  provision_network: {
    open: async ({ db, customer }) => (await openNetwork(db, customer)).requestId,
    afterSuccess: { ...NETWORK, subnet: 2 },
    afterFailure: {},
  },
  deprovision_network: {
    open: async (stage) => {
      const id = await network(stage, true);
      return open(stage.db, stage.customer, "deprovision_network", { type: "network", id }, {});
    },
    afterSuccess: {},
  },
  provision_subnet: {
    open: async (stage) => {
      const networkId = await network(stage, true);
      const subnet = await openSubnet(stage.db, stage.customer, networkId, "10.0.1.0/24", ZONES[1] as string);
      return subnet.requestId;
    },
    afterSuccess: { ...NETWORK, subnet: 1 },
    afterFailure: NETWORK,
  },
  deprovision_subnet: {
    open: async (stage) => {
      const { db, customer, settle } = stage;
      const networkId = await network(stage, true);
      const { id } = await openSubnet(db, customer, networkId, "10.0.1.0/24", ZONES[0] as string);
      await settle();
      return open(db, customer, "deprovision_subnet", { type: "subnet", id }, {});
    },
    afterSuccess: NETWORK,
  },
} satisfies Scenarios;
