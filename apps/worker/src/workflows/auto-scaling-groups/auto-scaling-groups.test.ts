import { randomUUID } from "node:crypto";
import { DescribeAutoScalingGroupsCommand, SetInstanceProtectionCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeInstancesCommand,
  DescribeLaunchTemplateVersionsCommand,
  DescribeVolumesCommand,
} from "@aws-sdk/client-ec2";
import { aws as control, REGION } from "@gantry/test/support/account";
import { createFirewall } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd } from "@gantry/test/support/engine";
import { readFirstBoot } from "@gantry/test/support/first-boot";
import { until } from "@gantry/test/support/until";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { type Aws, awsOpener } from "../../aws/clients.js";
import { requestGroup } from "./auto-scaling-groups.scenarios.js";

type SkipFirst<List extends unknown[]> = List extends [unknown, ...infer Rest] ? Rest : never;

const context = awsTestContext();
let aws: Aws;

beforeEach(() => {
  aws = awsOpener(10)(REGION, context.customer.awsAccount);
});

const accepted = (...options: SkipFirst<Parameters<typeof requestGroup>>) => requestGroup(context, ...options);
const settle = () => runAllToEnd(context.engine, context.customer.accountId);
const rowOf = (id: string) => context.db.autoScalingGroup.findUniqueOrThrow({ where: { id } });
const resized = (id: string, input: { minimumSize: number; maximumSize: number; desiredCapacity: number }) =>
  createRequestOf(context.db, context.customer, "update_auto_scaling_group", { type: "auto_scaling_group", id }, input);

async function onlyGroup() {
  const { AutoScalingGroups } = await aws.autoScaling.send(new DescribeAutoScalingGroupsCommand({}));
  return AutoScalingGroups?.[0];
}

async function instance(id: string | null) {
  const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id ?? ""] }));
  return Reservations?.[0]?.Instances?.[0];
}

it("counts the app master as a member, protects it, and does not change its tags", async () => {
  const { groupId, requestId, environment, server } = await accepted({ minimumSize: 2, maximumSize: 3 });
  await settle();
  const group = await onlyGroup();
  expect(group).toMatchObject({ MinSize: 2, MaxSize: 3, DesiredCapacity: 2 });
  const protectedMembers = group?.Instances?.filter(({ ProtectedFromScaleIn }) => ProtectedFromScaleIn);
  expect([group?.Instances?.length, protectedMembers?.map(({ InstanceId }) => InstanceId)]).toEqual([
    2,
    [server.provisionedId],
  ]);
  const suspended = group?.SuspendedProcesses?.map(({ ProcessName }) => ProcessName).sort();
  expect(suspended).toEqual(["AZRebalance", "ReplaceUnhealthy"]);
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({
    successful: true,
    stage: "protect-app-master",
  });
  expect(await rowOf(groupId)).toMatchObject({ provisionedId: group?.AutoScalingGroupName, desiredCapacity: 2 });
  const { server: serverRow, environment: environmentRow } = await context.db.server
    .findUniqueOrThrow({ where: { id: server.id }, include: { environment: true } })
    .then(({ environment, ...server }) => ({ server, environment }));
  expect([serverRow.autoScalingGroupId, environmentRow.autoScalingGroupId]).toEqual([groupId, groupId]);
  const tags = (await instance(server.provisionedId))?.Tags?.map(({ Key }) => Key).sort();
  expect(tags).toEqual(["aws:autoscaling:groupName", "gantry:account"]);
  expect(environment.id).toBe(environmentRow.id);
});

it("launches instances with the environment's image and flavor, only IMDSv2, and their own tags", async () => {
  const { groupId, environment } = await accepted({ minimumSize: 2, maximumSize: 2 });
  await settle();
  const group = await onlyGroup();
  const ofEnvironment = { Key: "gantry:environment", Value: String(environment.id) };
  expect(group?.Tags).toContainEqual(expect.objectContaining(ofEnvironment));
  const data = await launchTemplateData();
  expect(data).toMatchObject({
    ImageId: "ami-03cf127a",
    InstanceType: "m3.medium",
    MetadataOptions: { HttpTokens: "required" },
  });
  const settings = readFirstBoot(data?.UserData);
  expect(settings).toMatchObject({
    username: "deploy",
    authorized_keys: [expect.stringMatching(/^ssh-/)],
    role: "app",
  });
  expect(Object.keys(settings)).not.toContain("callback_url");
  const launched = group?.Instances?.find(({ ProtectedFromScaleIn }) => !ProtectedFromScaleIn)?.InstanceId ?? "";
  const tags = (await instance(launched))?.Tags ?? [];
  expect(tags).toContainEqual({ Key: "gantry:resource", Value: `auto_scaling_group/${groupId}` });
  expect(tags).toContainEqual(ofEnvironment);
});

it("launches instances with the SSH keys that AWS accepts, and reports how many are missing", async () => {
  const { db, customer } = context;
  const userId = randomUUID();
  await db.user.create({ data: { id: userId, name: "Many", email: `${userId}@example.com`, passwordHash: "" } });
  await db.membership.create({ data: { id: randomUUID(), accountId: customer.accountId, userId, role: "member" } });
  const keypair = (i: number) => ({ userId, publicKey: `ssh-rsa ${i}${"A".repeat(713)}`, fingerprint: String(i) });
  await db.keypair.createMany({ data: Array.from({ length: 60 }, (_, i) => keypair(i)) });
  await accepted({ minimumSize: 2, maximumSize: 2 });
  await settle();
  const { length } = readFirstBoot((await launchTemplateData())?.UserData).authorized_keys;
  const messages = await db.requestMessage.findMany({ where: { message: { contains: "SSH keys" } } });
  expect(messages.map(({ message }) => message)).toEqual([
    expect.stringContaining(`Only ${length} of 61 SSH keys are installed`),
  ]);
});

/** The settings of a launch template, or of that of the only group. */
async function launchTemplateData(id?: string) {
  const LaunchTemplateId = id ?? (await onlyGroup())?.LaunchTemplate?.LaunchTemplateId;
  const found = await aws.ec2.send(new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId }));
  return found.LaunchTemplateVersions?.[0]?.LaunchTemplateData;
}

async function launchedMember() {
  const members = (await onlyGroup())?.Instances;
  return instance(members?.find(({ ProtectedFromScaleIn }) => !ProtectedFromScaleIn)?.InstanceId ?? null);
}

it("launches instances with the root disk, the tenancy and the network interface of a server", async () => {
  const dedicated = { environment: { encryptedEbsForEverything: true }, server: { dedicated: true } };
  await accepted({ minimumSize: 2, maximumSize: 2 }, dedicated);
  await settle();
  const data = await launchTemplateData();
  expect(data).toMatchObject({
    NetworkInterfaces: [{ DeviceIndex: 0, AssociatePublicIpAddress: true, DeleteOnTermination: true }],
    BlockDeviceMappings: [
      {
        DeviceName: "/dev/sda1",
        Ebs: { VolumeSize: 16, VolumeType: "gp3", Encrypted: true, DeleteOnTermination: true },
      },
    ],
    Placement: { Tenancy: "dedicated" },
  });
  expect(data).not.toHaveProperty("SecurityGroupIds");
  const member = await launchedMember();
  const Filters = [{ Name: "attachment.instance-id", Values: [member?.InstanceId ?? ""] }];
  const { Volumes } = await aws.ec2.send(new DescribeVolumesCommand({ Filters }));
  // The emulator also attaches a disk that only the image describes.
  expect(Volumes).toContainEqual(expect.objectContaining({ Size: 16, VolumeType: "gp3", Encrypted: true }));
});

it("places members near the app master: without a public address in private subnets, with one in public subnets", async () => {
  const { db, customer } = context;
  const { networkId, requestId } = await requestNetwork(db, customer, { privateSubnets: true });
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  const launchedBeside = async (isPrivate: boolean) => {
    const subnets = await db.subnet.findMany({ where: { networkId, private: isPrivate } });
    const beside = { environment: { networkId }, server: { subnetId: subnets[0]?.id ?? null } };
    const { groupId } = await accepted({ minimumSize: 1, maximumSize: 1 }, beside);
    await settle();
    const name = (await rowOf(groupId)).provisionedId ?? "";
    const found = await aws.autoScaling.send(new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] }));
    const group = found.AutoScalingGroups?.[0];
    const data = await launchTemplateData(group?.LaunchTemplate?.LaunchTemplateId);
    const expected = subnets.map(({ provisionedId }) => provisionedId).sort();
    expect(group?.VPCZoneIdentifier?.split(",").sort()).toEqual(expected);
    return data?.NetworkInterfaces?.[0]?.AssociatePublicIpAddress;
  };
  expect(await launchedBeside(true)).toBe(false);
  expect(await launchedBeside(false)).toBe(true);
});

it("launches instances in the firewall's groups of the environment's servers and of application servers", async () => {
  const { db } = context;
  const { environment } = await accepted();
  await createFirewall(db, environment, { provisionedId: "sg-1", webGroupId: "sg-2" });
  const isInGroups = { where: { id: environment.id }, data: { firewallId: environment.id } };
  await db.environment.update(isInGroups);
  await settle();
  expect((await launchTemplateData())?.NetworkInterfaces?.[0]?.Groups).toEqual(["sg-1", "sg-2"]);
});

it("launches burstable instances with the CPU credits of the app master", async () => {
  await accepted({ minimumSize: 1, maximumSize: 1 }, { server: { flavor: "t2.medium" } });
  await settle();
  expect((await launchTemplateData())?.CreditSpecification).toEqual({ CpuCredits: "standard" });
});

it.each([
  ["encrypts the disks of a group's members where the account requires it", true, true],
  ["does not mention encryption to AWS where nobody asks for it", false, undefined],
])("%s", async (_name, requiresEncryption, encrypted) => {
  const { accountId } = context.customer;
  await context.db.account.update({ where: { id: accountId }, data: { requiresEncryption } });
  await accepted({ minimumSize: 1, maximumSize: 1 });
  await settle();
  expect((await launchTemplateData())?.BlockDeviceMappings?.[0]?.Ebs?.Encrypted).toBe(encrypted);
});

it("waits until the app master is in the group, and until it may leave it", async () => {
  const { groupId, requestId, server } = await accepted();
  await control.setTransitionDelays({ instanceMs: 500 }, { accountId: context.customer.awsAccount.accountId });
  await until(async () => (await instance(server.provisionedId))?.State?.Name === "running");
  await settle();
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ successful: true });
  await createRequestOf(
    context.db,
    context.customer,
    "deprovision_auto_scaling_group",
    { type: "auto_scaling_group", id: groupId },
    {},
  );
  await settle();
  expect((await rowOf(groupId)).deletedAt).not.toBeNull();
  expect(await onlyGroup()).toBeUndefined();
});

it("keeps the app master when the group shrinks and when it is removed, and unlinks the group then", async () => {
  const { groupId, environment, server } = await accepted({ minimumSize: 3, maximumSize: 3 });
  await settle();
  await resized(groupId, { minimumSize: 0, maximumSize: 3, desiredCapacity: 1 });
  await settle();
  expect((await onlyGroup())?.Instances?.map(({ InstanceId }) => InstanceId)).toEqual([server.provisionedId]);
  expect(await rowOf(groupId)).toMatchObject({ minimumSize: 0, maximumSize: 3, desiredCapacity: 1 });
  const resource = { type: "auto_scaling_group", id: groupId } as const;
  await createRequestOf(context.db, context.customer, "deprovision_auto_scaling_group", resource, {});
  await settle();
  expect((await instance(server.provisionedId))?.State?.Name).toBe("running");
  const { server: rows, environment: environmentRow } = {
    server: await context.db.server.findUnique({ where: { id: server.id } }),
    environment: await context.db.environment.findUnique({ where: { id: environment.id } }),
  };
  expect([rows?.autoScalingGroupId, environmentRow?.autoScalingGroupId]).toEqual([null, null]);
});

it("removes launched instances that were protected by hand too", async () => {
  const { groupId, server } = await accepted({ minimumSize: 2, maximumSize: 2 });
  await settle();
  const group = await onlyGroup();
  const InstanceIds = group?.Instances?.flatMap(({ InstanceId }) => InstanceId ?? []);
  const { AutoScalingGroupName } = group ?? {};
  const all = { AutoScalingGroupName, InstanceIds, ProtectedFromScaleIn: true };
  await aws.autoScaling.send(new SetInstanceProtectionCommand(all));
  const resource = { type: "auto_scaling_group", id: groupId } as const;
  await createRequestOf(context.db, context.customer, "deprovision_auto_scaling_group", resource, {});
  await settle();
  const { instance: left } = await control.inventory(context.customer.awsAccount, { kinds: ["instance"] });
  expect(left.map(({ id }) => id)).toEqual([server.provisionedId]);
});

it.each([
  [
    "does not run any more",
    { provisionedId: "i-0123456789abcdef0" },
    "The app master i-0123456789abcdef0 is not running in AWS",
  ],
  ["was never launched", { provisionedId: null }, "The app master is not running in AWS"],
])("fails if the app master %s, and unlinks the group", async (_name, data, message) => {
  const { groupId, requestId, server } = await accepted();
  await context.db.server.update({ where: { id: server.id }, data });
  await settle();
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ message });
  expect((await rowOf(groupId)).deletedAt).not.toBeNull();
});

it("waits until the requested number of members is in service", async () => {
  const { groupId, requestId } = await accepted({ minimumSize: 3, maximumSize: 3 });
  const { accountId } = context.customer.awsAccount;
  await settle();
  await control.setTransitionDelays({ instanceMs: 3_600_000 }, { accountId });
  const larger = await resized(groupId, { minimumSize: 4, maximumSize: 4, desiredCapacity: 4 });
  const waiting = () => context.db.request.findUniqueOrThrow({ where: { id: larger } });
  const settled = settle();
  await until(async () => /of the group's instances/.test((await waiting()).waitingFor ?? ""));
  await control.setTransitionDelays({}, { accountId });
  await settled;
  expect(await waiting()).toMatchObject({ successful: true });
  expect((await onlyGroup())?.Instances).toHaveLength(4);
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ successful: true });
});

const LAUNCHES = {
  quota: "You have requested more vCPU capacity than your current vCPU limit of 32 allows.",
  capacity: "We currently do not have sufficient m3.medium capacity in the Availability Zone you requested.",
};

it("fails with the reason of a launch that cannot succeed, and leaves nothing of the group", async () => {
  const { accountId } = context.customer.awsAccount;
  const { groupId, requestId, server } = await accepted({ minimumSize: 3, maximumSize: 3 });
  await control.refuse("RunInstances", { code: "VcpuLimitExceeded", message: LAUNCHES.quota, accountId });
  await settle();
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({
    successful: false,
    message: "The AWS account has reached a quota; ask AWS to raise it, or remove unused resources",
    leakedResources: [],
  });
  expect((await rowOf(groupId)).deletedAt).not.toBeNull();
  expect(await onlyGroup()).toBeUndefined();
  expect((await instance(server.provisionedId))?.State?.Name).toBe("running");
});

it("waits for a launch that AWS tries again, and ignores failures from before the Request", async () => {
  const { accountId } = context.customer.awsAccount;
  const { groupId, requestId } = await accepted({ minimumSize: 2, maximumSize: 5 });
  await control.refuse("RunInstances", {
    code: "InsufficientInstanceCapacity",
    message: LAUNCHES.capacity,
    times: 2,
    accountId,
  });
  await settle();
  expect(await context.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ successful: true });
  expect((await onlyGroup())?.Instances).toHaveLength(2);

  await control.refuse("RunInstances", { code: "VcpuLimitExceeded", message: LAUNCHES.quota, times: 2, accountId });
  const sizes = { minimumSize: 0, maximumSize: 5, desiredCapacity: 4 };
  const failed = await resized(groupId, sizes);
  await settle();
  expect(await context.db.request.findUnique({ where: { id: failed } })).toMatchObject({ successful: false });
  expect(await rowOf(groupId)).toMatchObject(sizes);
  const again = await resized(groupId, sizes);
  await settle();
  expect(await context.db.request.findUnique({ where: { id: again } })).toMatchObject({ successful: true });
  expect((await onlyGroup())?.Instances).toHaveLength(4);
});
