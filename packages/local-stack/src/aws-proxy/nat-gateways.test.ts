import {
  AllocateAddressCommand,
  AttachInternetGatewayCommand,
  CreateInternetGatewayCommand,
  CreateNatGatewayCommand,
  CreateSubnetCommand,
  CreateVpcCommand,
  DeleteNatGatewayCommand,
  DeleteSubnetCommand,
  DescribeNatGatewaysCommand,
  DetachInternetGatewayCommand,
  ReleaseAddressCommand,
} from "@aws-sdk/client-ec2";
import { awsClients, startAws } from "../testing.js";

const forever = 3_600_000;
const Filter = [{ Name: "tag:gantry:token", Values: ["one"] }];
let aws: Awaited<ReturnType<typeof startAws>>;
let ec2: ReturnType<typeof awsClients>["ec2"];
let accountId: string;
let VpcId: string;
let SubnetId: string;
let AllocationId: string;

beforeAll(async () => {
  aws = await startAws();
});
beforeEach(async () => {
  const account = await aws.control.createAccount();
  accountId = account.accountId;
  ec2 = awsClients(aws.endpoint, account).ec2;
  VpcId = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }))).Vpc?.VpcId ?? "";
  const subnet = await ec2.send(new CreateSubnetCommand({ VpcId, CidrBlock: "10.0.1.0/24" }));
  SubnetId = subnet.Subnet?.SubnetId ?? "";
  AllocationId = (await ec2.send(new AllocateAddressCommand({ Domain: "vpc" }))).AllocationId ?? "";
});
afterAll(() => aws.stop());

const delay = (natGatewayMs: number) => aws.control.setTransitionDelays({ natGatewayMs }, { accountId });
const show = async () => (await ec2.send(new DescribeNatGatewaysCommand({ Filter }))).NatGateways ?? [];
const stateOf = async () => (await show()).map(({ State }) => State);
const release = () => ec2.send(new ReleaseAddressCommand({ AllocationId }));
const deleteSubnet = () => ec2.send(new DeleteSubnetCommand({ SubnetId }));

async function attachInternetGateway() {
  const { InternetGateway } = await ec2.send(new CreateInternetGatewayCommand({}));
  const InternetGatewayId = InternetGateway?.InternetGatewayId ?? "";
  await ec2.send(new AttachInternetGatewayCommand({ VpcId, InternetGatewayId }));
  return { VpcId, InternetGatewayId };
}

async function create(tag = "one", ClientToken = "token") {
  const Tags = [{ Key: "gantry:token", Value: tag }];
  const TagSpecifications = [{ ResourceType: "natgateway" as const, Tags }];
  const input = { SubnetId, AllocationId, ClientToken, TagSpecifications };
  return (await ec2.send(new CreateNatGatewayCommand(input))).NatGateway?.NatGatewayId ?? "";
}

it("creates one gateway per token, which is pending at first, and finds it by its tag", async () => {
  await attachInternetGateway();
  await delay(forever);
  const id = await create();
  expect(await create()).toBe(id);
  expect((await show()).map(({ NatGatewayId, State }) => [NatGatewayId, State])).toEqual([[id, "pending"]]);
  await delay(0);
  expect(await stateOf()).toEqual(["available"]);
});

it("keeps the subnet, the address and the internet gateway of a gateway in use until it is deleted", async () => {
  const attachment = await attachInternetGateway();
  const NatGatewayId = await create();
  const inUse = async () => {
    await expect(release()).rejects.toMatchObject({ Code: "InvalidIPAddress.InUse" });
    await expect(deleteSubnet()).rejects.toMatchObject({ Code: "DependencyViolation" });
    const detach = new DetachInternetGatewayCommand(attachment);
    await expect(ec2.send(detach)).rejects.toMatchObject({ Code: "DependencyViolation" });
  };
  await inUse();
  await delay(forever);
  await ec2.send(new DeleteNatGatewayCommand({ NatGatewayId }));
  expect(await stateOf()).toEqual(["deleting"]);
  await inUse();
  await delay(0);
  expect(await stateOf()).toEqual(["deleted"]);
  await release();
  await deleteSubnet();
  await ec2.send(new DetachInternetGatewayCommand(attachment));
});

it("fails a gateway whose VPC has no internet gateway, and keeps nothing for it", async () => {
  const NatGatewayId = await create();
  expect(await show()).toMatchObject([{ NatGatewayId, State: "failed", FailureCode: "Gateway.NotAttached" }]);
  await release();
  await deleteSubnet();
});

it("returns an error for an unknown gateway", async () => {
  const NatGatewayId = "nat-0123456789abcdef0";
  const remove = new DeleteNatGatewayCommand({ NatGatewayId });
  await expect(ec2.send(remove)).rejects.toMatchObject({ Code: "NatGatewayNotFound" });
});
