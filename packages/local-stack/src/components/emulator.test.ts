import { CreateAutoScalingGroupCommand } from "@aws-sdk/client-auto-scaling";
import { CreateLaunchTemplateCommand, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { awsClients, startAws } from "../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());

it("tags instances and disks as their launch template says; tags of the call have precedence", async () => {
  const account = await aws.control.createAccount();
  const { autoScaling, ec2 } = awsClients(aws.endpoint, account);
  const tagged = (Value: string) =>
    (["instance", "volume"] as const).map((ResourceType) => ({ ResourceType, Tags: [{ Key: "made-for", Value }] }));
  const { LaunchTemplate } = await ec2.send(
    new CreateLaunchTemplateCommand({
      LaunchTemplateName: "template",
      LaunchTemplateData: { ImageId: "ami-03cf127a", InstanceType: "t3.micro", TagSpecifications: tagged("template") },
    }),
  );
  const template = { LaunchTemplateId: LaunchTemplate?.LaunchTemplateId };
  const group = { AutoScalingGroupName: "group", AvailabilityZones: ["us-east-1a"], MinSize: 1, MaxSize: 1 };
  await autoScaling.send(new CreateAutoScalingGroupCommand({ ...group, LaunchTemplate: template }));
  await ec2.send(new RunInstancesCommand({ LaunchTemplate: template, MinCount: 1, MaxCount: 1 }));
  const run = { LaunchTemplate: template, MinCount: 1, MaxCount: 1, TagSpecifications: tagged("call") };
  await ec2.send(new RunInstancesCommand(run));
  const { instance, volume } = await aws.control.inventory(account, { kinds: ["instance", "volume"] });
  const values = [instance, volume].map((found) => found.map(({ tags }) => tags["made-for"]).sort());
  expect(values).toEqual([
    ["call", "template", "template"],
    ["call", "template", "template"],
  ]);
});
