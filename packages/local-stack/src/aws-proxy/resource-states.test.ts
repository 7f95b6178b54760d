import {
  CreateAutoScalingGroupCommand,
  CreateLaunchConfigurationCommand,
  DescribeAutoScalingGroupsCommand,
} from "@aws-sdk/client-auto-scaling";
import {
  AttachVolumeCommand,
  CreateSnapshotCommand,
  CreateVolumeCommand,
  DescribeInstanceStatusCommand,
  DescribeInstancesCommand,
  DescribeSnapshotsCommand,
  DescribeVolumesCommand,
  RunInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import {
  CreateDBClusterCommand,
  CreateDBInstanceCommand,
  DeleteDBInstanceCommand,
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
} from "@aws-sdk/client-rds";
import { awsClients, startAws, until } from "../testing.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let accountId: string;
let clients: ReturnType<typeof awsClients>;
const image = "ami-03cf127a";
const size = { MinCount: 1, MaxCount: 1, InstanceType: "t3.micro" as const };
const forever = 600_000;

beforeAll(async () => {
  aws = await startAws();
});
afterAll(() => aws.stop());
beforeEach(async () => {
  const account = await aws.control.createAccount();
  accountId = account.accountId;
  clients = awsClients(aws.endpoint, account);
});

const runInstance = async () =>
  (await clients.ec2.send(new RunInstancesCommand({ ...size, ImageId: image }))).Instances?.[0]?.InstanceId ?? "";
const stateOf = async (id: string) =>
  (await clients.ec2.send(new DescribeInstancesCommand({ InstanceIds: [id] }))).Reservations?.[0]?.Instances?.[0]
    ?.State;
const createVolume = async () =>
  (await clients.ec2.send(new CreateVolumeCommand({ AvailabilityZone: "us-east-1a", Size: 1 }))).VolumeId ?? "";

it("shows a new instance as pending during its delay, and a terminated one as shutting down", async () => {
  await aws.control.setTransitionDelays({ instanceMs: forever }, { accountId });
  const id = await runInstance();
  expect(await stateOf(id)).toEqual({ Code: 0, Name: "pending" });
  await aws.control.setTransitionDelays({ instanceMs: 1 }, { accountId });
  expect(await stateOf(id)).toEqual({ Code: 16, Name: "running" });
  await aws.control.setTransitionDelays({ instanceMs: forever }, { accountId });
  await clients.ec2.send(new TerminateInstancesCommand({ InstanceIds: [id] }));
  expect(await stateOf(id)).toEqual({ Code: 32, Name: "shutting-down" });
});

it("shows the status checks of a new instance as initializing at first, and as ok after their delay", async () => {
  await aws.control.setTransitionDelays({ statusChecksMs: forever, instanceMs: forever }, { accountId });
  const id = await runInstance();
  const describe = new DescribeInstanceStatusCommand({ InstanceIds: [id], IncludeAllInstances: true });
  const checksOf = async () => {
    const [found] = (await clients.ec2.send(describe)).InstanceStatuses ?? [];
    return [found?.InstanceStatus?.Status, found?.SystemStatus?.Status];
  };
  expect(await checksOf()).toEqual(["not-applicable", "not-applicable"]);
  await aws.control.setTransitionDelays({ statusChecksMs: forever }, { accountId });
  for (const _look of [1, 2]) expect(await checksOf()).toEqual(["initializing", "initializing"]);
  await aws.control.setTransitionDelays({}, { accountId });
  expect(await checksOf()).toEqual(["ok", "ok"]);
  const other = await runInstance();
  describe.input.InstanceIds = [other];
  expect(await checksOf()).toEqual(["initializing", "initializing"]);
  expect(await checksOf()).toEqual(["ok", "ok"]);
});

it("delays the transitions of only one account", async () => {
  const other = await aws.control.createAccount();
  await aws.control.setTransitionDelays({ instanceMs: forever }, { accountId: other.accountId });
  expect(await stateOf(await runInstance())).toEqual({ Code: 16, Name: "running" });
});

it("shows a new volume as creating, and rejects its attachment and its snapshot until the end of the delay", async () => {
  await aws.control.setTransitionDelays({ volumeMs: forever }, { accountId });
  const VolumeId = await createVolume();
  const { Volumes } = await clients.ec2.send(new DescribeVolumesCommand({ VolumeIds: [VolumeId] }));
  expect(Volumes?.[0]?.State).toBe("creating");
  const attachment = { VolumeId, InstanceId: await runInstance(), Device: "/dev/sdf" };
  const wrong = { Code: "IncorrectState" };
  await expect(clients.ec2.send(new AttachVolumeCommand(attachment))).rejects.toMatchObject(wrong);
  await expect(clients.ec2.send(new CreateSnapshotCommand({ VolumeId }))).rejects.toMatchObject(wrong);
});

it("raises a snapshot's progress to 100 %", async () => {
  await aws.control.setTransitionDelays({ snapshotMs: forever }, { accountId });
  const { SnapshotId = "" } = await clients.ec2.send(new CreateSnapshotCommand({ VolumeId: await createVolume() }));
  const seen: [string | undefined, number][] = [];
  const poll = async () => {
    const { Snapshots } = await clients.ec2.send(new DescribeSnapshotsCommand({ SnapshotIds: [SnapshotId] }));
    seen.push([Snapshots?.[0]?.State, Number.parseInt(Snapshots?.[0]?.Progress ?? "", 10)]);
    return Snapshots?.[0]?.State === "completed";
  };
  await poll();
  await aws.control.setTransitionDelays({ snapshotMs: 300 }, { accountId });
  await until(poll);
  const rising = seen.map(([, progress]) => progress);
  expect(rising).toEqual([...rising].sort((a, b) => a - b));
  expect(seen[0]).toEqual(["pending", expect.any(Number)]);
  expect(rising[0]).toBeLessThan(100);
  expect(seen.at(-1)).toEqual(["completed", 100]);
});

it("shows a new database and cluster as creating, and rejects the database's removal until the end of the delay", async () => {
  await aws.control.setTransitionDelays({ databaseMs: forever }, { accountId });
  const { rds } = clients;
  const login = { MasterUsername: "admin", MasterUserPassword: "long-enough-1" };
  const shape = { DBInstanceClass: "db.t3.micro", Engine: "mysql", AllocatedStorage: 20 };
  await rds.send(new CreateDBInstanceCommand({ DBInstanceIdentifier: "db", ...shape, ...login }));
  await rds.send(new CreateDBClusterCommand({ DBClusterIdentifier: "c", Engine: "aurora-mysql", ...login }));
  const states = async () => [
    (await rds.send(new DescribeDBInstancesCommand({}))).DBInstances?.[0]?.DBInstanceStatus,
    (await rds.send(new DescribeDBClustersCommand({}))).DBClusters?.[0]?.Status,
  ];
  expect(await states()).toEqual(["creating", "creating"]);
  const removal = new DeleteDBInstanceCommand({ DBInstanceIdentifier: "db", SkipFinalSnapshot: true });
  await expect(rds.send(removal)).rejects.toMatchObject({ Code: "InvalidDBInstanceState" });
  await aws.control.setTransitionDelays({}, { accountId });
  expect(await states()).toEqual(["available", "available"]);
  const [created] = await aws.control.calls({ accountId, action: "CreateDBInstance" });
  expect(created?.params.MasterUserPassword).toBe("(removed)");
});

it("shows a group's new instances as pending", async () => {
  await aws.control.setTransitionDelays({ instanceMs: forever }, { accountId });
  const { autoScaling } = clients;
  const launch = { LaunchConfigurationName: "lc", ImageId: image, InstanceType: "t3.micro" };
  await autoScaling.send(new CreateLaunchConfigurationCommand(launch));
  const group = { AutoScalingGroupName: "g", LaunchConfigurationName: "lc", AvailabilityZones: ["us-east-1a"] };
  await autoScaling.send(new CreateAutoScalingGroupCommand({ ...group, MinSize: 1, MaxSize: 1 }));
  const { AutoScalingGroups } = await autoScaling.send(new DescribeAutoScalingGroupsCommand({}));
  expect(AutoScalingGroups?.[0]?.Instances?.[0]?.LifecycleState).toBe("Pending");
});
