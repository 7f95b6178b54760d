import {
  CancelInstanceRefreshCommand,
  DeleteAutoScalingGroupCommand,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  StartInstanceRefreshCommand,
} from "@aws-sdk/client-auto-scaling";
import { DescribeLaunchTemplateVersionsCommand } from "@aws-sdk/client-ec2";
import type { InputOf } from "@gantry/resources";
import { aws as control, REGION } from "@gantry/test/support/account";
import { interceptor } from "@gantry/test/support/aws-interceptor";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { runAllToEnd, wakeUp } from "@gantry/test/support/engine";
import { createRequestOf } from "@gantry/test/support/work";
import { type Aws, awsOpener } from "../../aws/clients.js";
import type { Engine } from "../../engine/engine.js";
import { runRequest } from "../../engine/run.js";
import { insertBlueprint, requestGroup } from "./auto-scaling-groups.scenarios.js";

const context = awsTestContext();
const former = "m3.medium";
const wanted = "m3.large";
let aws: Aws;
let id: string;
let name: string;
let appMaster: string;

const settle = () => runAllToEnd(context.engine, context.customer.accountId);
const groupRow = () => context.db.autoScalingGroup.findUniqueOrThrow({ where: { id } });
const requestRow = (requestId: string) => context.db.request.findUniqueOrThrow({ where: { id: requestId } });
const delays = (values: object) =>
  control.setTransitionDelays(values, { accountId: context.customer.awsAccount.accountId });

beforeEach(async () => {
  aws = awsOpener(10)(REGION, context.customer.awsAccount);
  const { groupId, server } = await requestGroup(context, { minimumSize: 3, maximumSize: 4 });
  await settle();
  id = groupId;
  name = (await groupRow()).provisionedId ?? "";
  appMaster = server.provisionedId ?? "";
});

function modify(input: InputOf<"modify_auto_scaling_group"> = { flavor: wanted }): Promise<string> {
  const resource = { type: "auto_scaling_group", id } as const;
  return createRequestOf(context.db, context.customer, "modify_auto_scaling_group", resource, input);
}

async function ended(requestId: string) {
  await settle();
  return requestRow(requestId);
}

async function groupInAws() {
  const query = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [name] });
  return (await aws.autoScaling.send(query)).AutoScalingGroups?.[0];
}

async function members() {
  return (await groupInAws())?.Instances?.filter(({ InstanceId }) => InstanceId !== appMaster) ?? [];
}

/** Asserts that all instances of the group have a flavor, that others will get it, and that the app master is still there. */
async function expectFlavor(flavor: string) {
  expect((await members()).map(({ InstanceType }) => InstanceType)).toEqual([flavor, flavor]);
  const group = await groupInAws();
  expect(group?.LaunchTemplate?.Version).toBe("$Latest");
  expect(group?.Instances).toContainEqual(
    expect.objectContaining({ InstanceId: appMaster, LifecycleState: "InService" }),
  );
  expect(await groupRow()).toMatchObject({ flavor });
}

/** Runs a Request, whatever it waits for, until its sentence matches. */
async function untilWaiting(requestId: string, sentence: RegExp) {
  for (;;) {
    const { finishedAt, waitingFor } = await requestRow(requestId);
    if (sentence.test(waitingFor ?? "")) return;
    expect(finishedAt).toBeNull();
    await wakeUp(context.db, requestId);
    await runRequest(context.engine, requestId);
  }
}

const refuseLaunches = (code: string, message: string) =>
  control.refuse("RunInstances", { code, message, accountId: context.customer.awsAccount.accountId });

const messagesOf = async (requestId: string) =>
  (await context.db.requestMessage.findMany({ where: { requestId } })).map(({ message }) => message);

const cancel = (requestId: string) =>
  context.db.request.update({
    where: { id: requestId },
    data: { cancelRequestedAt: new Date(), wake: { increment: 1 }, nextRunAt: new Date() },
  });

it("replaces the instances other than the app master, and shows how far AWS is", async () => {
  const before = (await members()).map(({ InstanceId }) => InstanceId);
  const requestId = await modify();
  await untilWaiting(requestId, /replace the group's instances \(50 %\)/);
  expect(await groupRow()).toMatchObject({ flavor: former });
  expect(await ended(requestId)).toMatchObject({ successful: true, message: null });
  await expectFlavor(wanted);
  expect((await members()).filter(({ InstanceId }) => before.includes(InstanceId))).toEqual([]);
});

it("changes sizes without a replacement, and keeps those that are not named", async () => {
  const before = (await members()).map(({ InstanceId }) => InstanceId);
  expect(await ended(await modify({ maximumSize: 5, desiredCapacity: 4 }))).toMatchObject({ successful: true });
  expect(await groupRow()).toMatchObject({ minimumSize: 3, maximumSize: 5, desiredCapacity: 4, flavor: former });
  const after = (await members()).map(({ InstanceId }) => InstanceId);
  expect(after).toHaveLength(3);
  expect(after).toEqual(expect.arrayContaining(before));
});

describe("with another blueprint", () => {
  const readTemplate = async () => {
    const { LaunchTemplateId, Version = "" } = (await groupInAws())?.LaunchTemplate ?? {};
    const query = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId, Versions: [Version] });
    return (await aws.ec2.send(query)).LaunchTemplateVersions?.[0]?.LaunchTemplateData;
  };
  const insert = () => insertBlueprint(context, id, { flavor: wanted, dedicated: true });
  const settingsIn = (userData = "") => {
    const [, settings = ""] = /SETTINGS = "(.+)"/.exec(Buffer.from(userData, "base64").toString()) ?? [];
    return JSON.parse(Buffer.from(settings, "base64").toString());
  };

  it("replaces the instances by others like its application server, and derives the rest as for a new group", async () => {
    const before = await readTemplate();
    await context.db.environment.updateMany({
      where: { accountId: context.customer.accountId },
      data: { encryptedEbsForEverything: true, username: "shopkeeper" },
    });
    const blueprintId = await insert();
    const requestId = await modify({ flavor: wanted, blueprintId });
    await untilWaiting(requestId, /\(50 %\)/);
    expect(await groupRow()).toMatchObject({ flavor: former, blueprintId: null });
    expect(await ended(requestId)).toMatchObject({ successful: true, message: null });
    await expectFlavor(wanted);
    expect(await groupRow()).toMatchObject({ blueprintId });
    const after = await readTemplate();
    const { ImageId, IamInstanceProfile, MetadataOptions, TagSpecifications } = before ?? {};
    expect(after).toMatchObject({ ImageId, MetadataOptions, Placement: { Tenancy: "dedicated" } });
    expect([after?.IamInstanceProfile, after?.TagSpecifications]).toEqual([IamInstanceProfile, TagSpecifications]);
    expect(after?.BlockDeviceMappings).toMatchObject([{ Ebs: { Encrypted: true } }]);
    expect(settingsIn(after?.UserData)).toMatchObject({ username: "shopkeeper", role: "app" });
    expect(await ended(await modify({ flavor: wanted, blueprintId: null }))).toMatchObject({ successful: true });
    await expectFlavor(wanted);
    expect([(await groupRow()).blueprintId, (await readTemplate())?.Placement]).toEqual([null, undefined]);
  });

  it("sends the same version again after a crash, whatever changed meanwhile", async () => {
    const requestId = await modify({ flavor: wanted, blueprintId: await insert() });
    let crashed = false;
    const { wrap } = interceptor(async (_nth, side, command) => {
      if (crashed || side !== "after" || !command.startsWith("CreateLaunchTemplateVersion")) return;
      crashed = true;
      await context.db.environment.updateMany({
        where: { accountId: context.customer.accountId },
        data: { username: "shopkeeper" },
      });
      throw new Error("the worker lost the answer");
    });
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await context.engine.connect(...location));
    await runAllToEnd({ ...context.engine, connect }, context.customer.accountId);
    expect([crashed, await ended(requestId)]).toEqual([true, expect.objectContaining({ successful: true })]);
    const { LaunchTemplateId } = (await groupInAws())?.LaunchTemplate ?? {};
    const { LaunchTemplateVersions } = await aws.ec2.send(
      new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId }),
    );
    expect(LaunchTemplateVersions).toHaveLength(2);
  });

  it.each([
    ["AWS fails", "failed"],
    ["AWS fails and cannot return", "rollback-failed"],
  ] as const)("keeps the former one if %s", async (_name, instanceRefreshEnd) => {
    const [template, input] = [await readTemplate(), { flavor: wanted, blueprintId: await insert() }];
    const requestId = await modify(input);
    await delays({ instanceRefreshEnd });
    await untilWaiting(requestId, /\(0 %\)/);
    await delays({});
    expect(await ended(requestId)).toMatchObject({ successful: false });
    await expectFlavor(former);
    expect([await readTemplate(), (await groupRow()).blueprintId]).toEqual([template, null]);
    expect(await ended(await modify(input))).toMatchObject({ successful: true });
    expect(await groupRow()).toMatchObject({ blueprintId: input.blueprintId });
  });

  it("returns to the former one if it is cancelled after the replacement", async () => {
    const template = await readTemplate();
    const requestId = await modify({ flavor: wanted, blueprintId: await insert(), desiredCapacity: 4 });
    await untilWaiting(requestId, /\(100 %\)/);
    await refuseLaunches("InsufficientInstanceCapacity", "We currently do not have sufficient m3.large capacity.");
    await untilWaiting(requestId, /capacity/);
    expect((await groupRow()).blueprintId).not.toBeNull();
    await control.clear({ accountId: context.customer.awsAccount.accountId });
    await cancel(requestId);
    expect(await ended(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
    await expectFlavor(former);
    expect([await readTemplate(), (await groupRow()).blueprintId]).toEqual([template, null]);
  });
});

it("launches later instances with the new flavor, also after a change of tags", async () => {
  await ended(await modify());
  const resource = { type: "auto_scaling_group", id } as const;
  await context.db.autoScalingGroup.update({ where: { id }, data: { tags: { team: "shop" } } });
  const records = [{ ...resource, removed: [] }];
  await createRequestOf(context.db, context.customer, "update_tags", resource, { records });
  await settle();
  await ended(await modify({ desiredCapacity: 4 }));
  expect((await members()).map(({ LaunchTemplate }) => LaunchTemplate?.Version)).toEqual(["2", "2", "3"]);
  expect((await members()).map(({ InstanceType }) => InstanceType)).toEqual([wanted, wanted, wanted]);
});

describe("returns to the former flavor", () => {
  it.each([
    ["AWS fails", "failed", "RollbackSuccessful"],
    ["AWS fails and cannot return", "rollback-failed", "RollbackFailed"],
  ] as const)("if %s", async (_name, instanceRefreshEnd, status) => {
    const requestId = await modify({ flavor: wanted, maximumSize: 9 });
    await delays({ instanceRefreshEnd });
    await untilWaiting(requestId, /\(0 %\)/);
    await delays({});
    const { successful, message } = await ended(requestId);
    expect([successful, message]).toEqual([false, expect.stringContaining(status)]);
    await expectFlavor(former);
    expect(await groupRow()).toMatchObject({ maximumSize: 4 });
    expect(await ended(await modify())).toMatchObject({ successful: true });
    await expectFlavor(wanted);
  });

  it("if the replacement is cancelled in AWS", async () => {
    const requestId = await modify();
    await untilWaiting(requestId, /\(50 %\)/);
    await aws.autoScaling.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName: name }));
    expect(await ended(requestId)).toMatchObject({ successful: false });
    await expectFlavor(former);
  });

  it.each([
    "before UpdateAutoScalingGroup",
    "after CreateLaunchTemplateVersion",
    "before StartInstanceRefresh",
    "after StartInstanceRefresh",
    "after DescribeInstanceRefreshes",
  ])("if it is cancelled %s", async (point) => {
    const requestId = await modify();
    let cancelling: Promise<unknown> | undefined;
    const { wrap } = interceptor((_nth, side, command) => {
      if (`${side} ${command.replace(/Command$/, "")}` === point) cancelling ??= cancel(requestId).then(() => {});
    });
    const connect: Engine<Aws>["connect"] = async (...location) => wrap(await context.engine.connect(...location));
    await runAllToEnd({ ...context.engine, connect }, context.customer.accountId);
    await cancelling;
    expect(await ended(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
    await expectFlavor(former);
  });

  it.each([
    ["during the replacement", /\(50 %\)/],
    ["during the launches after it", /capacity/],
  ])("and the former sizes if it is cancelled %s", async (_name, sentence) => {
    const requestId = await modify({ flavor: wanted, maximumSize: 6, desiredCapacity: 5 });
    if (!sentence.test("(50 %)")) {
      await untilWaiting(requestId, /\(100 %\)/);
      await refuseLaunches("InsufficientInstanceCapacity", "We currently do not have sufficient m3.large capacity.");
    }
    await untilWaiting(requestId, sentence);
    await control.clear({ accountId: context.customer.awsAccount.accountId });
    await cancel(requestId);
    expect(await ended(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
    await expectFlavor(former);
    expect(await groupRow()).toMatchObject({ minimumSize: 3, maximumSize: 4, desiredCapacity: 3 });
    expect(await groupInAws()).toMatchObject({ MinSize: 3, MaxSize: 4, DesiredCapacity: 3 });
  });
});

it("gives up if AWS can neither go on nor return, and the record follows AWS", async () => {
  const requestId = await modify();
  await untilWaiting(requestId, /\(50 %\)/);
  await refuseLaunches(
    "VcpuLimitExceeded",
    "You have requested more vCPU capacity than your current vCPU limit allows.",
  );
  expect(await ended(requestId)).toMatchObject({ successful: false });
  expect((await members()).map(({ InstanceType }) => InstanceType).sort()).toEqual([wanted, former].sort());
  expect(await groupRow()).toMatchObject({ flavor: former });
  expect(await messagesOf(requestId)).toContainEqual(
    expect.stringMatching(/^AWS could not return 1 of the group's instances to its former flavor$/),
  );
  await control.clear({ accountId: context.customer.awsAccount.accountId });
  expect(await ended(await modify())).toMatchObject({ successful: true });
  await expectFlavor(wanted);
});

it("waits for a replacement that was started outside of Gantry", async () => {
  await aws.autoScaling.send(
    new StartInstanceRefreshCommand({
      AutoScalingGroupName: name,
      Preferences: { ScaleInProtectedInstances: "Ignore" },
    }),
  );
  const requestId = await modify();
  await untilWaiting(requestId, /started outside of Gantry/);
  expect(await ended(requestId)).toMatchObject({ successful: true });
  await expectFlavor(wanted);
  const query = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName: name });
  const { InstanceRefreshes } = await aws.autoScaling.send(query);
  expect(InstanceRefreshes?.map(({ Status }) => Status)).toEqual(["Successful", "Successful"]);
});

it.each([
  ["before the change", undefined],
  ["during the replacement", /\(50 %\)/],
])("ends if the group is removed in AWS %s", async (_name, sentence) => {
  const requestId = await modify();
  if (sentence) await untilWaiting(requestId, sentence);
  await aws.autoScaling.send(new DeleteAutoScalingGroupCommand({ AutoScalingGroupName: name, ForceDelete: true }));
  const { successful, message } = await ended(requestId);
  expect([successful, message]).toEqual([false, expect.stringContaining(name)]);
  expect(await groupRow()).toMatchObject({ flavor: former, changing: null });
});
