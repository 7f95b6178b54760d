import { DescribeAutoScalingGroupsCommand, SetInstanceProtectionCommand } from "@aws-sdk/client-auto-scaling";
import { DescribeInstancesCommand, DescribeLaunchTemplateVersionsCommand } from "@aws-sdk/client-ec2";
import { aws as control, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { runAllToEnd } from "@gantry/test/support/engine";
import { readFirstBoot } from "@gantry/test/support/first-boot";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { open } from "@gantry/test/support/work";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import { type Aws, awsOpener } from "../../aws/clients.js";
import type { Engine } from "../../engine/engine.js";
import { openGroup } from "./auto-scaling-groups.scenarios.js";

let database: TestDatabase;
let engine: Engine<Aws>;
let customer: TestAccount;
let aws: Aws;

beforeAll(async () => {
  database = await cloneDatabase();
  engine = testAwsEngine(database, testEnv(database));
});
beforeEach(async () => {
  customer = await createTestAccount(database.db, testEnv(database));
  aws = awsOpener(10)(REGION, customer.awsAccount);
});
afterAll(() => database.drop());

const accepted = (sizes?: { minimumSize: number; maximumSize: number }) =>
  openGroup({ db: database.db, customer }, sizes);
const settle = () => runAllToEnd(engine, customer.accountId);
const rowOf = (id: string) => database.db.autoScalingGroup.findUniqueOrThrow({ where: { id } });
const resized = (id: string, input: { minimumSize: number; maximumSize: number; desiredCapacity: number }) =>
  open(database.db, customer, "update_auto_scaling_group", { type: "auto_scaling_group", id }, input);

async function onlyGroup() {
  const { AutoScalingGroups } = await aws.autoScaling.send(new DescribeAutoScalingGroupsCommand({}));
  return AutoScalingGroups?.[0];
}

async function instance(id: string | null) {
  const { Reservations } = await aws.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id ?? ""] }));
  return Reservations?.[0]?.Instances?.[0];
}

it("counts the app master as one of the group, protects it, and leaves its tags alone", async () => {
  const { groupId, requestId, environment, server } = await accepted({ minimumSize: 2, maximumSize: 3 });
  await settle();
  const group = await onlyGroup();
  expect(group).toMatchObject({ MinSize: 2, MaxSize: 3, DesiredCapacity: 2 });
  const guarded = group?.Instances?.filter(({ ProtectedFromScaleIn }) => ProtectedFromScaleIn);
  expect([group?.Instances?.length, guarded?.map(({ InstanceId }) => InstanceId)]).toEqual([2, [server.provisionedId]]);
  expect(await database.db.request.findUnique({ where: { id: requestId } })).toMatchObject({
    successful: true,
    stage: "protect-app-master",
  });
  expect(await rowOf(groupId)).toMatchObject({ provisionedId: group?.AutoScalingGroupName, desiredCapacity: 2 });
  const { server: here, environment: home } = await database.db.server
    .findUniqueOrThrow({ where: { id: server.id }, include: { environment: true } })
    .then(({ environment, ...server }) => ({ server, environment }));
  expect([here.autoScalingGroupId, home.autoScalingGroupId]).toEqual([groupId, groupId]);
  const tags = (await instance(server.provisionedId))?.Tags?.map(({ Key }) => Key).sort();
  expect(tags).toEqual(["aws:autoscaling:groupName", "gantry:account"]);
  expect(environment.id).toBe(home.id);
});

it("launches instances of the environment's image and flavor, with IMDSv2 alone and with tags of their own", async () => {
  const { groupId } = await accepted({ minimumSize: 2, maximumSize: 2 });
  await settle();
  const group = await onlyGroup();
  const LaunchTemplateId = group?.LaunchTemplate?.LaunchTemplateId;
  const { LaunchTemplateVersions } = await aws.ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId }),
  );
  expect(LaunchTemplateVersions?.[0]?.LaunchTemplateData).toMatchObject({
    ImageId: "ami-03cf127a",
    InstanceType: "m3.medium",
    MetadataOptions: { HttpTokens: "required" },
  });
  const told = readFirstBoot(LaunchTemplateVersions?.[0]?.LaunchTemplateData?.UserData);
  expect(told).toMatchObject({ username: "deploy", authorized_keys: [expect.stringMatching(/^ssh-/)], role: "app" });
  expect(Object.keys(told)).not.toContain("callback_url");
  const launched = group?.Instances?.find(({ ProtectedFromScaleIn }) => !ProtectedFromScaleIn)?.InstanceId ?? "";
  const tags = (await instance(launched))?.Tags ?? [];
  expect(tags).toContainEqual({ Key: "gantry:resource", Value: `auto_scaling_group/${groupId}` });
});

it("waits until the app master is in the group, and until it may leave it", async () => {
  const { groupId, requestId, server } = await accepted();
  await control.setTransitionDelays({ instanceMs: 500 }, { accountId: customer.awsAccount.accountId });
  await until(async () => (await instance(server.provisionedId))?.State?.Name === "running");
  await settle();
  expect(await database.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ successful: true });
  await open(database.db, customer, "deprovision_auto_scaling_group", { type: "auto_scaling_group", id: groupId }, {});
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
  await open(database.db, customer, "deprovision_auto_scaling_group", resource, {});
  await settle();
  expect((await instance(server.provisionedId))?.State?.Name).toBe("running");
  const { server: rows, environment: home } = {
    server: await database.db.server.findUnique({ where: { id: server.id } }),
    environment: await database.db.environment.findUnique({ where: { id: environment.id } }),
  };
  expect([rows?.autoScalingGroupId, home?.autoScalingGroupId]).toEqual([null, null]);
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
  await open(database.db, customer, "deprovision_auto_scaling_group", resource, {});
  await settle();
  const { instance: left } = await control.inventory(customer.awsAccount, { kinds: ["instance"] });
  expect(left.map(({ id }) => id)).toEqual([server.provisionedId]);
});

it.each([
  ["does not run any more", { provisionedId: "i-0123456789abcdef0" }, "The app master does not run in AWS"],
  ["was never launched", { provisionedId: null }, "The app master does not run in AWS"],
])("fails where the app master %s, and unlinks the group", async (_name, data, message) => {
  const { groupId, requestId, server } = await accepted();
  await database.db.server.update({ where: { id: server.id }, data });
  await settle();
  expect(await database.db.request.findUnique({ where: { id: requestId } })).toMatchObject({ message });
  expect((await rowOf(groupId)).deletedAt).not.toBeNull();
});
