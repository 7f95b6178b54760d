import {
  CreateNetworkInterfaceCommand,
  CreateSecurityGroupCommand,
  CreateSubnetCommand,
  type EC2Client,
} from "@aws-sdk/client-ec2";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";

const context = awsTestContext();

const ec2 = () => awsOpener(10)(REGION, context.customer.awsAccount).ec2;
const inventory = () => aws.inventory(context.customer.awsAccount);

async function network(skipSubnets: boolean) {
  const { networkId: id, requestId } = await requestNetwork(context.db, context.customer, { skipSubnets });
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  return context.db.network.findUniqueOrThrow({ where: { id } });
}

async function subnet() {
  const { id: networkId } = await network(false);
  return context.db.subnet.findFirstOrThrow({ where: { networkId } });
}

async function remove(type: "network" | "subnet", id: string) {
  return context.outcome(await createRequestOf(context.db, context.customer, `deprovision_${type}`, { type, id }, {}));
}

const group = { GroupName: "foreign", Description: "foreign" };

it.each([
  [
    "subnet",
    (client: EC2Client, VpcId: string) => client.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.0.9.0/24" })),
  ],
  [
    "security group",
    (client: EC2Client, VpcId: string) => client.send(new CreateSecurityGroupCommand({ VpcId, ...group })),
  ],
])("removes nothing from a network that contains a foreign %s, and names it", async (label, put) => {
  const { id, provisionedId } = await network(true);
  await put(ec2(), provisionedId ?? "");
  const before = await inventory();
  expect(await remove("network", id)).toMatchObject({
    successful: false,
    message: expect.stringMatching(new RegExp(`^The network ${provisionedId} still contains ${label} \\S+-\\w+;`)),
  });
  expect(await inventory()).toEqual(before);
  expect(await context.db.network.findUnique({ where: { id } })).toMatchObject({
    removalStartedAt: null,
    deletedAt: null,
  });
});

it("removes nothing from a subnet that contains a foreign network interface, and names it", async () => {
  const { id, provisionedId } = await subnet();
  const create = new CreateNetworkInterfaceCommand({ SubnetId: provisionedId ?? "" });
  const { NetworkInterface } = await ec2().send(create);
  expect(await remove("subnet", id)).toMatchObject({
    successful: false,
    message: expect.stringContaining(
      `${provisionedId} still contains network interface ${NetworkInterface?.NetworkInterfaceId};`,
    ),
  });
  expect(await context.db.subnet.findUnique({ where: { id } })).toMatchObject({
    removalStartedAt: null,
    deletedAt: null,
  });
});

it.each([
  ["network", "DeleteVpc", (id: string) => context.db.network.findUnique({ where: { id } })],
  ["subnet", "DeleteSubnet", (id: string) => context.db.subnet.findUnique({ where: { id } })],
] as const)(
  "shows that a removal of a %s began if AWS refused it, and another removal continues it",
  async (type, action, find) => {
    const { id, provisionedId } = type === "network" ? await network(true) : await subnet();
    // The removal finds nothing in its way, and AWS refuses it all the same.
    const { accessKeyId } = context.customer.awsAccount;
    await aws.refuse(action, { code: "UnauthorizedOperation", times: 1, accessKeyId, status: 403 });
    expect(await remove(type, id)).toMatchObject({ successful: false });
    expect(await find(id)).toMatchObject({ removalStartedAt: expect.any(Date), deletedAt: null, provisionedId });
    expect(await remove(type, id)).toMatchObject({ successful: true });
    expect(JSON.stringify(await inventory())).not.toContain(provisionedId);
  },
);
