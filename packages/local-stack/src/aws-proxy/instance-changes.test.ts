import {
  AllocateAddressCommand,
  AssociateAddressCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  ModifyInstanceAttributeCommand,
  RunInstancesCommand,
  type RunInstancesCommandInput,
  StartInstancesCommand,
  StopInstancesCommand,
} from "@aws-sdk/client-ec2";
import { accountOfEachTest } from "../testing.js";

const account = accountOfEachTest();

async function run(InstanceType: "t3.micro" | "t2.micro" = "t3.micro", others: Partial<RunInstancesCommandInput> = {}) {
  const image = { ImageId: "ami-03cf127a", MinCount: 1, MaxCount: 1 };
  const { Instances } = await account.ec2.send(new RunInstancesCommand({ ...image, InstanceType, ...others }));
  return Instances?.[0]?.InstanceId ?? "";
}

async function shown(id: string) {
  const { Reservations } = await account.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }));
  return Reservations?.[0]?.Instances?.[0];
}

const start = (id: string) => account.ec2.send(new StartInstancesCommand({ InstanceIds: [id] }));
const stop = (id: string) => account.ec2.send(new StopInstancesCommand({ InstanceIds: [id] }));
const resize = (InstanceId: string, Value: string) =>
  account.ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, InstanceType: { Value } }));

it.each<[title: string, change: Record<string, unknown>]>([
  ["the type", { InstanceType: { Value: "t3.small" } }],
  ["the type by its name", { Attribute: "instanceType", Value: "t3.small" }],
  ["the user data", { UserData: { Value: Buffer.from("#!/bin/sh") } }],
  ["the optimization for EBS", { EbsOptimized: { Value: true } }],
])("refuses to change %s unless the instance is stopped, and changes nothing", async (_title, change) => {
  const InstanceId = await run();
  const modify = () => account.ec2.send(new ModifyInstanceAttributeCommand({ InstanceId, ...change }));
  const refusal = {
    Code: "IncorrectInstanceState",
    message: `The instance '${InstanceId}' is not in the 'stopped' state.`,
  };
  await expect(modify()).rejects.toMatchObject(refusal);
  await account.aws.control.setTransitionDelays({ instanceMs: 600_000 }, { accountId: account.accountId });
  await stop(InstanceId);
  await expect(modify()).rejects.toMatchObject(refusal);
  expect(await shown(InstanceId)).toMatchObject({ InstanceType: "t3.micro", State: { Name: "stopping" } });
});

it.each([
  ["that does not exist", "t9.huge", "Invalid value 't9.huge' for InstanceType."],
  ["of another architecture", "t4g.micro", "Modifying the instance type from t3.micro to t4g.micro is not allowed."],
])("refuses a type %s, and changes nothing", async (_title, type, message) => {
  const id = await run();
  await stop(id);
  await expect(resize(id, type)).rejects.toMatchObject({ Code: "InvalidInstanceAttributeValue", message });
  expect(await shown(id)).toMatchObject({ InstanceType: "t3.micro" });
});

it("refuses to start an instance whose type its zone does not offer", async () => {
  const id = await run("t2.micro", { Placement: { AvailabilityZone: "us-east-1e" } });
  await stop(id);
  await resize(id, "t3.micro");
  await expect(start(id)).rejects.toMatchObject({
    Code: "Unsupported",
    message: expect.stringMatching(
      /^Your requested instance type \(t3\.micro\) is not supported in your requested Availability Zone \(us-east-1e\)\./,
    ),
  });
  expect(await shown(id)).toMatchObject({ State: { Name: "stopped" } });
});

it("changes only the type of a stopped instance, which keeps its private address and loses its public one", async () => {
  const id = await run();
  const before = await shown(id);
  expect(before?.PublicIpAddress).toBeDefined();
  await stop(id);
  const stopped = await shown(id);
  expect(stopped?.PublicIpAddress).toBeUndefined();
  await resize(id, "t3.small");
  const { PublicIpAddress: _, NetworkInterfaces: interfaces, ...rest } = (await shown(id)) ?? {};
  const { PublicIpAddress: __, NetworkInterfaces: ___, ...same } = stopped ?? {};
  expect(rest).toEqual({ ...same, InstanceType: "t3.small" });
  expect(interfaces?.[0]?.Association?.PublicIp).toBeUndefined();
  expect(rest.PrivateIpAddress).toBe(before?.PrivateIpAddress);
  const attribute = new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: "instanceType" });
  expect((await account.ec2.send(attribute)).InstanceType?.Value).toBe("t3.small");
  await start(id);
  const after = await shown(id);
  expect(after).toMatchObject({ InstanceType: "t3.small", PrivateIpAddress: before?.PrivateIpAddress });
  expect(after?.PublicIpAddress).not.toBe(before?.PublicIpAddress);
});

it("leaves a stopped instance its Elastic IP address", async () => {
  const InstanceId = await run();
  const { AllocationId, PublicIp } = await account.ec2.send(new AllocateAddressCommand({ Domain: "vpc" }));
  await account.ec2.send(new AssociateAddressCommand({ AllocationId, InstanceId }));
  await stop(InstanceId);
  expect((await shown(InstanceId))?.PublicIpAddress).toBe(PublicIp);
  await start(InstanceId);
  expect((await shown(InstanceId))?.PublicIpAddress).toBe(PublicIp);
});

it("starts no instance with a security group that does not exist", async () => {
  const Groups = ["sg-0123456789abcdef0"];
  const refusal = { Code: "InvalidGroup.NotFound", message: `The security group '${Groups[0]}' does not exist` };
  await expect(run("t3.micro", { NetworkInterfaces: [{ DeviceIndex: 0, Groups }] })).rejects.toMatchObject(refusal);
  const { Reservations } = await account.ec2.send(new DescribeInstancesCommand({}));
  expect(Reservations).toEqual([]);
});
