import { deepEqual, notEqual } from "node:assert/strict";
import { ZONES } from "@gantry/test/support/account";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf, requestNetwork, requestSubnet } from "@gantry/test/support/work";

const NETWORK = { vpc: 1, internet_gateway: 1, route_table: 1 };

async function network({ db, customer, finishRequests }: ScenarioContext, skipSubnets: boolean): Promise<string> {
  const { networkId } = await requestNetwork(db, customer, { skipSubnets });
  await finishRequests();
  return networkId;
}

export const networkScenarios = {
  provision_network: {
    createRequest: async ({ db, customer }) => (await requestNetwork(db, customer, { privateSubnets: true })).requestId,
    afterSuccess: { ...NETWORK, route_table: 2, subnet: 4, address: 1, nat_gateway: 1 },
    afterFailure: {},
  },
  deprovision_network: {
    createRequest: async (context) => {
      const id = await network(context, true);
      return createRequestOf(context.db, context.customer, "deprovision_network", { type: "network", id }, {});
    },
    afterSuccess: {},
    verify: async ({ db }, { resourceId }) => {
      notEqual((await db.network.findUniqueOrThrow({ where: { id: resourceId } })).deletedAt, null);
    },
  },
  provision_subnet: {
    createRequest: async (context) => {
      const networkId = await network(context, true);
      const subnet = await requestSubnet(context.db, context.customer, networkId, "10.0.1.0/24", ZONES[1] as string);
      return subnet.requestId;
    },
    afterSuccess: { ...NETWORK, subnet: 1 },
    afterFailure: NETWORK,
  },
  deprovision_subnet: {
    createRequest: async ({ db, customer, finishRequests }) => {
      const { networkId } = await requestNetwork(db, customer, { privateSubnets: true });
      await finishRequests();
      const remove = (id: string) => createRequestOf(db, customer, "deprovision_subnet", { type: "subnet", id }, {});
      const subnets = await db.subnet.findMany({ where: { networkId } });
      for (const { id } of subnets.filter((subnet) => subnet.private)) await remove(id);
      await finishRequests();
      return remove(subnets.find(({ natGatewayId }) => natGatewayId !== null)?.id ?? "");
    },
    afterSuccess: { ...NETWORK, route_table: 2, subnet: 1 },
    verify: async ({ db }, { resourceId }) => {
      const subnet = await db.subnet.findUniqueOrThrow({ where: { id: resourceId }, include: { network: true } });
      deepEqual([subnet.deletedAt !== null, subnet.natGatewayId, subnet.network.deletedAt], [true, null, null]);
    },
  },
} satisfies Scenarios;
