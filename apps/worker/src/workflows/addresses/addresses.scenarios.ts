import { deepEqual } from "node:assert/strict";
import { createAddress, createEnvironment, createServer } from "@gantry/test/support/api";
import { launchInstance } from "@gantry/test/support/instance";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";
import { describeAddress } from "../../aws/ec2/address.js";
import { describeInstance } from "../../aws/ec2/describe-instance.js";

/** An address that is not allocated yet. */
async function newAddress({ db, customer }: ScenarioContext) {
  const { id } = await createAddress(db, customer.provider, { provisionedId: null, ipAddress: null });
  return { type: "address", id } as const;
}

async function provisionedAddress(context: ScenarioContext) {
  const address = await newAddress(context);
  await createRequestOf(context.db, context.customer, "address_provision", address, {});
  await context.finishRequests();
  return address;
}

async function runningServer({ db, customer }: ScenarioContext): Promise<number> {
  const environment = await createEnvironment(db, customer.provider);
  return (await createServer(db, environment, { provisionedId: await launchInstance(customer) })).id;
}

async function attachment(context: ScenarioContext) {
  const [address, serverId] = [await provisionedAddress(context), await runningServer(context)];
  const requestId = await createRequestOf(context.db, context.customer, "attach_address", address, { serverId });
  return { address, requestId };
}

/** The records of an address and of the account's only server, and both in AWS. */
async function readAddressAndServer({ db, aws, customer }: ScenarioContext, id: string) {
  const address = await db.address.findUniqueOrThrow({ where: { id: Number(id) } });
  const server = await db.server.findFirstOrThrow({ where: { accountId: customer.accountId } });
  const association = (await describeAddress(address.provisionedId ?? "")(aws))?.association;
  const instance = await describeInstance(server.provisionedId ?? "")(aws);
  return { address, server, association, instance };
}

export const addressScenarios = {
  address_provision: {
    createRequest: async (context) =>
      createRequestOf(context.db, context.customer, "address_provision", await newAddress(context), {}),
    afterSuccess: { address: 1 },
    afterFailure: {},
  },
  attach_address: {
    createRequest: async (context) => (await attachment(context)).requestId,
    afterSuccess: { address: 1, instance: 1 },
    verify: async (context, { resourceId, input }) => {
      const { address, server, association, instance } = await readAddressAndServer(context, resourceId);
      deepEqual([address.serverId, server.addressId], [input.serverId, address.id]);
      deepEqual(association?.instanceId, server.provisionedId);
      deepEqual(server.publicHostname, instance?.publicHostname);
    },
  },
  detach_address: {
    createRequest: async (context) => {
      const { address } = await attachment(context);
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "detach_address", address, {});
    },
    afterSuccess: { address: 1, instance: 1 },
    verify: async (context, { resourceId }) => {
      const { address, server, association, instance } = await readAddressAndServer(context, resourceId);
      deepEqual([address.serverId, server.addressId, association], [null, null, undefined]);
      deepEqual(server.publicHostname, instance?.publicHostname);
    },
  },
  deprovision_address_request: {
    createRequest: async (context) =>
      createRequestOf(
        context.db,
        context.customer,
        "deprovision_address_request",
        await provisionedAddress(context),
        {},
      ),
    afterSuccess: {},
    verify: async ({ db, aws }, { resourceId }) => {
      const address = await db.address.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      const found = await describeAddress(address.provisionedId ?? "")(aws);
      deepEqual([address.deletedAt !== null, found], [true, undefined]);
    },
  },
} satisfies Scenarios;
