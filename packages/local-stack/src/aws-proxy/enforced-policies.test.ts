import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import { CreateVpcCommand, DescribeRegionsCommand } from "@aws-sdk/client-ec2";
import { PutUserPolicyCommand } from "@aws-sdk/client-iam";
import { awsClients, startAws } from "../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

/** Clients of a new AWS account whose user may describe regions only. */
async function limitedClients() {
  const account = await aws.control.createAccount();
  const clients = awsClients(aws.endpoint, account);
  const Statement = [{ Effect: "Allow", Action: "ec2:DescribeRegions", Resource: "*" }];
  const PolicyDocument = JSON.stringify({ Version: "2012-10-17", Statement });
  await clients.iam.send(new PutUserPolicyCommand({ UserName: "gantry", PolicyName: "regions", PolicyDocument }));
  return { account, clients };
}

it("denies a caller what its policies do not allow, with the code of each service, once an account enforces them", async () => {
  const { account, clients } = await limitedClients();
  const createVpc = () => clients.ec2.send(new CreateVpcCommand({ CidrBlock: "10.0.0.0/16" }));
  await createVpc();
  await aws.control.enforcePolicies(account);
  await expect(createVpc()).rejects.toMatchObject({
    name: "UnauthorizedOperation",
    message: `User: arn:aws:iam::${account.accountId}:user/gantry is not authorized to perform: ec2:CreateVpc`,
    $metadata: { httpStatusCode: 403 },
  });
  await expect(clients.autoScaling.send(new DescribeAutoScalingGroupsCommand({}))).rejects.toMatchObject({
    name: "AccessDenied",
  });
  expect((await aws.control.inventory(account, { kinds: ["vpc"] })).vpc).toHaveLength(1);
});

it("allows what the policies allow: regions, of which the emulator lists those of the caller's partition", async () => {
  const { account, clients } = await limitedClients();
  await aws.control.enforcePolicies(account);
  const { Regions } = await clients.ec2.send(new DescribeRegionsCommand({}));
  const names = (Regions ?? []).map(({ RegionName }) => RegionName);
  expect([names.length > 10, names.filter((name) => /^(cn|us-gov|us-iso)/.test(name ?? ""))]).toEqual([true, []]);
});
