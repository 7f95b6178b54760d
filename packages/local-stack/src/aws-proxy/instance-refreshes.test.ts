import {
  CancelInstanceRefreshCommand,
  CreateAutoScalingGroupCommand,
  type CreateAutoScalingGroupCommandInput,
  DescribeAutoScalingGroupsCommand,
  DescribeInstanceRefreshesCommand,
  type RefreshPreferences,
  RollbackInstanceRefreshCommand,
  SetInstanceProtectionCommand,
  StartInstanceRefreshCommand,
  UpdateAutoScalingGroupCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  CreateLaunchTemplateCommand,
  CreateLaunchTemplateVersionCommand,
  DescribeInstancesCommand,
} from "@aws-sdk/client-ec2";
import { accountOfEachTest } from "../testing.js";

const account = accountOfEachTest();
const AutoScalingGroupName = "group";
const image = "ami-03cf127a";
let templateId = "";

async function create(size: number, Version = "1", values: Partial<CreateAutoScalingGroupCommandInput> = {}) {
  const data = { ImageId: image, InstanceType: "t3.micro" } as const;
  const template = new CreateLaunchTemplateCommand({ LaunchTemplateName: "template", LaunchTemplateData: data });
  templateId = (await account.ec2.send(template)).LaunchTemplate?.LaunchTemplateId ?? "";
  const group = { AutoScalingGroupName, AvailabilityZones: ["us-east-1a"], MinSize: 0, MaxSize: 9, ...values };
  const LaunchTemplate = { LaunchTemplateId: templateId, Version };
  await account.autoScaling.send(
    new CreateAutoScalingGroupCommand({ ...group, LaunchTemplate, DesiredCapacity: size }),
  );
  const LaunchTemplateData = { ...data, InstanceType: "t3.large" } as const;
  await account.ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateId: templateId, LaunchTemplateData }));
}

const desired = () => ({ LaunchTemplate: { LaunchTemplateId: templateId, Version: "2" } });
const start = (preferences: RefreshPreferences = {}, DesiredConfiguration: object | undefined = desired()) =>
  account.autoScaling.send(
    new StartInstanceRefreshCommand({ AutoScalingGroupName, DesiredConfiguration, Preferences: preferences }),
  );
const cancel = () => account.autoScaling.send(new CancelInstanceRefreshCommand({ AutoScalingGroupName }));
const rollBack = () => account.autoScaling.send(new RollbackInstanceRefreshCommand({ AutoScalingGroupName }));

async function look() {
  const query = new DescribeInstanceRefreshesCommand({ AutoScalingGroupName });
  return (await account.autoScaling.send(query)).InstanceRefreshes?.[0];
}

async function group() {
  const query = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [AutoScalingGroupName] });
  return (await account.autoScaling.send(query)).AutoScalingGroups?.[0];
}

async function members() {
  const { Instances = [] } = (await group()) ?? {};
  const { Reservations = [] } = await account.ec2.send(
    new DescribeInstancesCommand({ InstanceIds: Instances.map(({ InstanceId = "" }) => InstanceId) }),
  );
  const running = Reservations.flatMap(({ Instances = [] }) => Instances);
  return {
    ids: Instances.map(({ InstanceId = "" }) => InstanceId),
    types: running.map(({ InstanceType }) => InstanceType ?? "").sort(),
    versions: Instances.map(({ LaunchTemplate }) => LaunchTemplate?.Version ?? "").sort(),
    inService: Instances.filter(({ LifecycleState }) => LifecycleState === "InService").length,
  };
}

/** Looks at the refresh until it ends, and returns what it showed. */
async function untilEnd(): Promise<string[]> {
  const seen: string[] = [];
  for (let times = 0; times < 20; times++) {
    const refresh = await look();
    seen.push(`${refresh?.Status} ${refresh?.PercentageComplete} ${refresh?.InstancesToUpdate}`);
    if (refresh?.EndTime) return seen;
  }
  throw new Error(`The refresh was ${seen.join(", ")}, but never at its end.`);
}

it("replaces a group's instances one after another by those of the new version", async () => {
  await create(2);
  const { ids } = await members();
  await start({ SkipMatching: true });
  expect(await untilEnd()).toEqual([
    "Pending 0 2",
    "InProgress 0 2",
    "InProgress 50 1",
    "InProgress 100 0",
    "Successful 100 0",
  ]);
  const after = await members();
  expect(after).toMatchObject({ types: ["t3.large", "t3.large"], versions: ["2", "2"], inService: 2 });
  expect(after.ids.filter((id) => ids.includes(id))).toEqual([]);
  expect((await group())?.LaunchTemplate?.Version).toBe("2");
  await start({ SkipMatching: true });
  expect((await untilEnd()).at(-1)).toBe("Successful 100 0");
  expect((await members()).ids).toEqual(after.ids);
});

it("replaces as many at once as the least healthy percentage leaves, and starts others first at 100 %", async () => {
  await create(4);
  await start({ MinHealthyPercentage: 50 });
  expect((await untilEnd()).slice(2)).toEqual(["InProgress 50 2", "InProgress 100 0", "Successful 100 0"]);
  await start({ MinHealthyPercentage: 100 });
  const counts: number[] = [];
  while (!(await look())?.EndTime) counts.push((await members()).inService);
  expect(counts).toEqual([4, 4, 5, 5, 5, 5, 4]);
  expect(await members()).toMatchObject({ types: Array(4).fill("t3.large"), inService: 4 });
});

it("leaves protected instances alone if it shall ignore them, and else fails", async () => {
  await create(2);
  const { ids } = await members();
  const InstanceIds = ids.slice(0, 1);
  const protect = { AutoScalingGroupName, InstanceIds, ProtectedFromScaleIn: true };
  await account.autoScaling.send(new SetInstanceProtectionCommand(protect));
  await start();
  expect((await untilEnd()).at(-1)).toBe("Failed 0 2");
  await start({ ScaleInProtectedInstances: "Ignore" });
  expect((await untilEnd()).at(-1)).toBe("Successful 100 0");
  expect((await members()).ids).toContain(ids[0]);
});

it("refuses a second refresh, and a change of the template meanwhile", async () => {
  await create(1);
  const { InstanceRefreshId } = await start();
  await expect(start()).rejects.toMatchObject({ name: "InstanceRefreshInProgressFault" });
  const LaunchTemplate = { LaunchTemplateId: templateId, Version: "2" };
  const update = (values: object) =>
    account.autoScaling.send(new UpdateAutoScalingGroupCommand({ AutoScalingGroupName, ...values }));
  await expect(update({ LaunchTemplate })).rejects.toMatchObject({ message: expect.stringMatching(/^An active/) });
  await update({ MaxSize: 8 });
  expect((await look())?.InstanceRefreshId).toBe(InstanceRefreshId);
});

it("cancels a refresh, which leaves the replaced instances, and refuses a cancel of none", async () => {
  await create(2);
  await start();
  for (let times = 0; times < 3; times++) await look();
  await cancel();
  expect(await untilEnd()).toEqual(["Cancelling 50 1", "Cancelled 50 1"]);
  expect(await members()).toMatchObject({ versions: ["1", "2"], inService: 2 });
  expect((await group())?.LaunchTemplate?.Version).toBe("1");
  const none = { name: "ActiveInstanceRefreshNotFoundFault" };
  await expect(cancel()).rejects.toMatchObject(none);
  await expect(rollBack()).rejects.toMatchObject(none);
});

it("rolls back to the former version", async () => {
  await create(2);
  await start();
  for (let times = 0; times < 3; times++) await look();
  await rollBack();
  expect(await untilEnd()).toEqual(["RollbackInProgress 50 1", "RollbackInProgress 0 0", "RollbackSuccessful 0 0"]);
  expect(await members()).toMatchObject({ versions: ["1", "1"], types: ["t3.micro", "t3.micro"] });
});

it("rolls back no refresh of a group that follows the latest version, and none without a configuration", async () => {
  await create(1, "$Latest");
  await expect(start({ AutoRollback: true })).rejects.toMatchObject({ Code: "ValidationError" });
  await start();
  await expect(rollBack()).rejects.toMatchObject({ name: "IrreversibleInstanceRefreshFault" });
  await cancel();
  await untilEnd();
  const withoutConfiguration = { AutoScalingGroupName, Preferences: { AutoRollback: true } };
  const refused = account.autoScaling.send(new StartInstanceRefreshCommand(withoutConfiguration));
  await expect(refused).rejects.toMatchObject({
    message: expect.stringMatching(/DesiredConfiguration parameter is empty/),
  });
});

it.each([
  ["failed", false, "Failed", ["1", "2"]],
  ["failed", true, "RollbackSuccessful", ["1", "1"]],
  ["rollback-failed", true, "RollbackFailed", ["1", "2"]],
] as const)(
  "lets a refresh end as %s on demand (rollback: %s)",
  async (instanceRefreshEnd, AutoRollback, end, versions) => {
    await create(2);
    await account.aws.control.setTransitionDelays({ instanceRefreshEnd }, { accountId: account.accountId });
    await start({ AutoRollback });
    expect((await untilEnd()).at(-1)).toMatch(new RegExp(`^${end} `));
    expect((await members()).versions).toEqual(versions);
  },
);

it("fails if an instance cannot be launched", async () => {
  await create(2);
  await start();
  const { accountId } = account;
  await account.aws.control.refuse("RunInstances", { code: "VcpuLimitExceeded", message: "No room.", accountId });
  expect((await untilEnd()).at(-1)).toBe("Failed 0 2");
  expect((await members()).versions).toEqual(["1", "1"]);
});

it("ends within an hour by the account's clock, without a look", async () => {
  await create(2);
  await start();
  await account.aws.control.setClockOffset(2 * 3_600_000, { accountId: account.accountId });
  expect((await members()).versions).toEqual(["2", "2"]);
  expect((await look())?.Status).toBe("Successful");
});
