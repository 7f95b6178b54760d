import {
  CreateLaunchTemplateCommand,
  CreateNatGatewayCommand,
  CreateNetworkInterfaceCommand,
  CreateRouteTableCommand,
  CreateSubnetCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  type EC2Client,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { awsClients, startAws } from "../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let ec2: EC2Client;
let vpc: string;
const image = "ami-03cf127a";
const volume = { AvailabilityZone: "us-east-1a", Size: 1, ClientToken: "one" };

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  ec2 = awsClients(aws.endpoint, await aws.control.createAccount()).ec2;
  vpc = (await ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }))).Vpc?.VpcId ?? "";
});

async function subnetIn(AvailabilityZone: string, CidrBlock: string): Promise<string> {
  const created = await ec2.send(new CreateSubnetCommand({ VpcId: vpc, CidrBlock, AvailabilityZone }));
  return created.Subnet?.SubnetId ?? "";
}

function instanceIn(SubnetId: string) {
  const size = { MinCount: 1, MaxCount: 1, InstanceType: "t3.micro" as const };
  return new RunInstancesCommand({ ...size, ImageId: image, SubnetId, ClientToken: "one" });
}

it("starts one instance for two concurrent calls with one token", async () => {
  const subnet = await subnetIn("us-east-1a", "10.0.1.0/24");
  const responses = await Promise.all([ec2.send(instanceIn(subnet)), ec2.send(instanceIn(subnet))]);
  expect(new Set(responses.map(({ Instances }) => Instances?.[0]?.InstanceId)).size).toBe(1);
});

it("starts another instance for the same token in another zone", async () => {
  const subnets = [await subnetIn("us-east-1a", "10.0.1.0/24"), await subnetIn("us-east-1b", "10.0.2.0/24")];
  const responses = await Promise.all(subnets.map((subnet) => ec2.send(instanceIn(subnet))));
  expect(new Set(responses.map(({ Instances }) => Instances?.[0]?.InstanceId)).size).toBe(2);
});

it("creates one volume for one token, and rejects the token with other parameters", async () => {
  const first = await ec2.send(new CreateVolumeCommand(volume));
  const second = await ec2.send(new CreateVolumeCommand(volume));
  expect(second.VolumeId).toBe(first.VolumeId);
  const other = ec2.send(new CreateVolumeCommand({ ...volume, Size: 2 }));
  await expect(other).rejects.toMatchObject({
    name: "IdempotentParameterMismatch",
    $metadata: { httpStatusCode: 400 },
  });
});

it("separates the tokens of two AWS accounts", async () => {
  const other = awsClients(aws.endpoint, await aws.control.createAccount()).ec2;
  const [mine, theirs] = await Promise.all([ec2, other].map((client) => client.send(new CreateVolumeCommand(volume))));
  expect(mine?.VolumeId).not.toBe(theirs?.VolumeId);
});

it("accepts a token again after a rejected call", async () => {
  const refused = ec2.send(new CreateRouteTableCommand({ VpcId: "vpc-0123456789abcdef0", ClientToken: "one" }));
  await expect(refused).rejects.toThrow();
  const created = ec2.send(new CreateRouteTableCommand({ VpcId: vpc, ClientToken: "one" }));
  await expect(created).resolves.toHaveProperty("RouteTable");
});

it("honors the tokens of route tables, launch templates, network interfaces and NAT gateways", async () => {
  const SubnetId = await subnetIn("us-east-1a", "10.0.1.0/24");
  const ClientToken = "one";
  const LaunchTemplateData = { InstanceType: "t3.micro" as const };
  const makers = [
    async () => (await ec2.send(new CreateRouteTableCommand({ VpcId: vpc, ClientToken }))).RouteTable?.RouteTableId,
    async () =>
      (await ec2.send(new CreateLaunchTemplateCommand({ LaunchTemplateName: "t", LaunchTemplateData, ClientToken })))
        .LaunchTemplate?.LaunchTemplateId,
    async () =>
      (await ec2.send(new CreateNetworkInterfaceCommand({ SubnetId, ClientToken }))).NetworkInterface
        ?.NetworkInterfaceId,
    async () =>
      (await ec2.send(new CreateNatGatewayCommand({ SubnetId, ConnectivityType: "private", ClientToken }))).NatGateway
        ?.NatGatewayId,
  ];
  for (const make of makers) expect(await make()).toBe(await make());
});
