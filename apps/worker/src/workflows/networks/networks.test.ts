import { DescribeRouteTablesCommand, type RouteTable } from "@aws-sdk/client-ec2";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd } from "@gantry/test/support/engine";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestNetwork, requestSubnet } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";

const context = awsTestContext();

const accountId = () => context.customer.awsAccount.accountId;
const delay = (natGatewayMs: number) => aws.setTransitionDelays({ natGatewayMs }, { accountId: accountId() });
const requestPrivate = () => requestNetwork(context.db, context.customer, { privateSubnets: true });
const subnetsOf = (networkId: string) =>
  context.db.subnet.findMany({ where: { networkId, deletedAt: null }, orderBy: { cidr: "asc" } });

async function privateNetwork() {
  const { networkId, requestId } = await requestPrivate();
  expect(await context.outcome(requestId)).toMatchObject({ successful: true, message: null });
  return networkId;
}

/** What the AWS account still holds, by kind. */
async function remaining() {
  return Object.entries(await aws.inventory(context.customer.awsAccount)).filter(([, { length }]) => length > 0);
}

/** The route tables by their ids: the gateway of the route to the internet, and the subnets. */
async function routes(vpcId: string | null) {
  const { ec2 } = awsOpener(10)(REGION, context.customer.awsAccount);
  const Filters = [{ Name: "vpc-id", Values: [vpcId ?? ""] }];
  const { RouteTables = [] } = await ec2.send(new DescribeRouteTablesCommand({ Filters }));
  return new Map(RouteTables.map((table) => [table.RouteTableId, routeOf(table)]));
}

function routeOf({ Routes, Associations }: RouteTable) {
  const { NatGatewayId, GatewayId } = Routes?.find((route) => route.DestinationCidrBlock === "0.0.0.0/0") ?? {};
  const subnets = Associations?.flatMap(({ SubnetId }) => SubnetId ?? []).sort();
  return { gateway: NatGatewayId ?? GatewayId?.slice(0, 4), subnets };
}

it("routes private subnets to one NAT gateway, and public ones to the internet gateway", async () => {
  await delay(300);
  const networkId = await privateNetwork();
  const subnets = await subnetsOf(networkId);
  expect(subnets.map((subnet) => [subnet.location, subnet.private, subnet.natGatewayId !== null])).toEqual([
    ["us-east-1a", false, true],
    ["us-east-1a", true, false],
    ["us-east-1b", false, false],
    ["us-east-1b", true, false],
  ]);
  const network = await context.db.network.findUniqueOrThrow({ where: { id: networkId } });
  const ids = (isPrivate: boolean) =>
    subnets.filter((each) => each.private === isPrivate).map(({ provisionedId }) => provisionedId);
  const tables = await routes(network.provisionedId);
  expect(tables.get(network.routeTableId ?? "")).toEqual({ gateway: "igw-", subnets: ids(false).sort() });
  expect(tables.get(network.privateRouteTableId ?? "")).toEqual({
    gateway: subnets[0]?.natGatewayId,
    subnets: ids(true).sort(),
  });
});

it("creates no NAT gateway unless requested", async () => {
  const { networkId, requestId } = await requestNetwork(context.db, context.customer);
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  expect((await subnetsOf(networkId)).map((subnet) => [subnet.private, subnet.natGatewayId])).toEqual([
    [false, null],
    [false, null],
  ]);
  const { nat_gateway, address } = await aws.inventory(context.customer.awsAccount);
  expect([nat_gateway, address]).toEqual([[], []]);
});

it("routes a private subnet created later to the same gateway", async () => {
  const networkId = await privateNetwork();
  const later = await requestSubnet(context.db, context.customer, networkId, "10.0.128.0/24", "us-east-1b");
  await context.db.subnet.update({ where: { id: later.id }, data: { private: true } });
  expect(await context.outcome(later.requestId)).toMatchObject({ successful: true });
  const network = await context.db.network.findUniqueOrThrow({ where: { id: networkId } });
  const { provisionedId } = await context.db.subnet.findUniqueOrThrow({ where: { id: later.id } });
  const table = (await routes(network.provisionedId)).get(network.privateRouteTableId ?? "");
  expect(table?.subnets).toContain(provisionedId);
});

it("waits for a gateway that is being deleted before it releases the address and removes the subnet", async () => {
  const networkId = await privateNetwork();
  await delay(3_600_000);
  const subnets = await subnetsOf(networkId);
  for (const { id } of subnets)
    await createRequestOf(context.db, context.customer, "deprovision_subnet", { type: "subnet", id }, {});
  const holder = subnets.find(({ natGatewayId }) => natGatewayId)?.id ?? "";
  const ended = runAllToEnd(context.engine, context.customer.accountId);
  const request = { resourceId: holder, type: "deprovision_subnet" } as const;
  await until(() =>
    context.db.request.findFirst({ where: { ...request, waitingFor: "AWS to delete the NAT gateway" } }),
  );
  const left = async () => {
    const { address, subnet } = await aws.inventory(context.customer.awsAccount, { kinds: ["address", "subnet"] });
    return [address.length, subnet.length];
  };
  // The removal of the other subnet may still be under way.
  await until(async () => (await left())[1] === 1);
  expect(await left()).toEqual([1, 1]);
  await delay(0);
  await ended;
  expect(await context.db.request.findFirst({ where: request })).toMatchObject({ successful: true });
  await context.outcome(
    await createRequestOf(context.db, context.customer, "deprovision_network", { type: "network", id: networkId }, {}),
  );
  expect(await remaining()).toEqual([]);
});

it("removes everything that it created if the gateway fails, and reports AWS's reason", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  // The emulator fails a gateway in a VPC to which no internet gateway is attached.
  await aws.refuse("AttachInternetGateway", { code: "Resource.AlreadyAssociated", times: 1, accessKeyId });
  const { requestId } = await requestPrivate();
  expect(await context.outcome(requestId)).toMatchObject({
    successful: false,
    message: "AWS could not create the NAT gateway (Gateway.NotAttached)",
  });
  expect(await remaining()).toEqual([]);
});

it("removes everything that it created if the request is cancelled while AWS creates the gateway", async () => {
  await delay(3_600_000);
  const { requestId } = await requestPrivate();
  const ended = runAllToEnd(context.engine, context.customer.accountId);
  const waiting = { id: requestId, waitingFor: "AWS to create the NAT gateway" };
  await until(() => context.db.request.findFirst({ where: waiting }));
  await delay(0);
  await context.db.request.update({ where: { id: requestId }, data: { cancelRequestedAt: new Date() } });
  await ended;
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ message: "Cancelled" });
  expect(await remaining()).toEqual([]);
});
