import { AssociateAddressCommand } from "@aws-sdk/client-ec2";
import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { createAddress, createEnvironment, createServer } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { launchInstance } from "@gantry/test/support/instance";
import { createRequestOf } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";
import { describeAddress } from "../../aws/ec2/address.js";

const context = awsTestContext();

async function provisionedAddress() {
  const { id } = await createAddress(context.db, context.customer.provider, { provisionedId: null, ipAddress: null });
  const address = { type: "address", id } as const;
  expect(
    await context.outcome(await createRequestOf(context.db, context.customer, "address_provision", address, {})),
  ).toMatchObject({
    successful: true,
  });
  return address;
}

async function runningServer() {
  const environment = await createEnvironment(context.db, context.customer.provider);
  return createServer(context.db, environment, {
    provisionedId: await launchInstance(context.customer),
    publicHostname: "before",
  });
}

const rowsOf = async (addressId: number, serverId: number) => ({
  address: await context.db.address.findUniqueOrThrow({ where: { id: addressId } }),
  server: await context.db.server.findUniqueOrThrow({ where: { id: serverId } }),
});

it("associates a server with the address of its record, and records AWS's hostname for it, until it is detached", async () => {
  const [taking, { id: serverId, provisionedId: instanceId }] = [await provisionedAddress(), await runningServer()];
  const requestId = await createRequestOf(context.db, context.customer, "attach_address", taking, { serverId });
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  const { address, server } = await rowsOf(taking.id, serverId);
  expect([address.serverId, server.addressId]).toEqual([serverId, address.id]);
  expect(server.publicHostname).toContain(String(address.ipAddress).replaceAll(".", "-"));
  const client = awsOpener(10)(REGION, context.customer.awsAccount);
  const state = () => describeAddress(address.provisionedId ?? "")(client);
  expect(await state()).toMatchObject({ ipAddress: address.ipAddress, association: { instanceId } });

  expect(
    await context.outcome(await createRequestOf(context.db, context.customer, "detach_address", taking, {})),
  ).toMatchObject({
    successful: true,
  });
  const after = await rowsOf(taking.id, serverId);
  expect([after.address.serverId, after.server.addressId]).toEqual([null, null]);
  expect(after.server.publicHostname).not.toBe(server.publicHostname);
  expect((await state())?.association).toBeUndefined();
});

it("waits for an instance that AWS is still starting", async () => {
  const { accountId } = context.customer.awsAccount;
  await aws.setTransitionDelays({ instanceMs: 1500 }, { accountId });
  const [address, { id: serverId }] = [await provisionedAddress(), await runningServer()];
  const requestId = await createRequestOf(context.db, context.customer, "attach_address", address, { serverId });
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
});

it("moves no address from one server to another, and attaches no second address to a server", async () => {
  const [first, second] = [await provisionedAddress(), await provisionedAddress()];
  const [one, other] = [await runningServer(), await runningServer()];
  await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_address", first, { serverId: one.id }),
  );
  const stolen = await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_address", first, { serverId: other.id }),
  );
  expect(stolen.message).toBe(`The address is attached to server ${one.id}`);
  const doubled = await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_address", second, { serverId: one.id }),
  );
  expect(doubled.message).toBe(`The server already has address ${first.id}`);
  const { server } = await rowsOf(first.id, one.id);
  expect(server.addressId).toBe(first.id);
});

it("attaches to no server of another account", async () => {
  const address = await provisionedAddress();
  const stranger = await createTestAccount(context.db, context.env, context.customer.awsAccount);
  const foreign = await createServer(context.db, await createEnvironment(context.db, stranger.provider));
  const request = await context.outcome(
    await createRequestOf(context.db, context.customer, "attach_address", address, { serverId: foreign.id }),
  );
  expect(request.message).toBe("The server does not belong to this account");
});

it("leaves nothing behind if the AWS account's address quota is used up", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("AllocateAddress", { code: "AddressLimitExceeded", accessKeyId });
  const { id } = await createAddress(context.db, context.customer.provider, { provisionedId: null, ipAddress: null });
  const request = await context.outcome(
    await createRequestOf(context.db, context.customer, "address_provision", { type: "address", id }, {}),
  );
  expect(request.message).toBe("The AWS account has reached a quota; ask AWS to raise it, or remove unused resources");
  expect((await context.db.address.findUniqueOrThrow({ where: { id } })).deletedAt).not.toBeNull();
});

it.each(["a server", "an instance without a record"])(
  "leaves an address that was moved to %s where it is, and records that",
  async (holder) => {
    const { db, customer } = context;
    const taking = await provisionedAddress();
    const { id: serverId } = await runningServer();
    await context.outcome(await createRequestOf(db, customer, "attach_address", taking, { serverId }));
    const { address } = await rowsOf(taking.id, serverId);
    const AllocationId = address.provisionedId ?? "";
    const client = awsOpener(10)(REGION, customer.awsAccount);
    const other = holder === "a server" ? await runningServer() : undefined;
    const InstanceId = other?.provisionedId ?? (await launchInstance(customer));
    await client.ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId, AllowReassociation: true }));

    const detached = await context.outcome(await createRequestOf(db, customer, "detach_address", taking, {}));
    expect([detached.successful, detached.message]).toEqual([true, null]);
    expect(await describeAddress(AllocationId)(client)).toMatchObject({ association: { instanceId: InstanceId } });
    const after = await rowsOf(taking.id, serverId);
    expect([after.address.serverId, after.server.addressId]).toEqual([other?.id ?? null, null]);
    if (other) expect((await rowsOf(taking.id, other.id)).server.addressId).toBe(taking.id);
  },
);
