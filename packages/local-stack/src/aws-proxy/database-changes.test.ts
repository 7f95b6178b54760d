import {
  CreateDBClusterCommand,
  CreateDBInstanceCommand,
  type CreateDBInstanceCommandInput,
  CreateDBInstanceReadReplicaCommand,
  CreateDBSnapshotCommand,
  DeleteDBInstanceCommand,
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
  ModifyDBClusterCommand,
  type ModifyDBClusterCommandInput,
  ModifyDBInstanceCommand,
  type ModifyDBInstanceCommandInput,
  PromoteReadReplicaCommand,
  type PromoteReadReplicaCommandInput,
  RebootDBInstanceCommand,
  RestoreDBInstanceFromDBSnapshotCommand,
  type RestoreDBInstanceFromDBSnapshotCommandInput,
  RestoreDBInstanceToPointInTimeCommand,
  type RestoreDBInstanceToPointInTimeCommandInput,
  StartDBInstanceCommand,
  StopDBInstanceCommand,
} from "@aws-sdk/client-rds";
import { accountOfEachTest } from "../testing.js";

const account = accountOfEachTest();
beforeEach(() => account.aws.control.setCatalogue("today", { accountId: account.accountId }));

const DBInstanceIdentifier = "db";
const hours = (count: number) => count * 3_600_000;
type Change = Partial<ModifyDBInstanceCommandInput>;

async function create(values: Partial<CreateDBInstanceCommandInput> = {}) {
  const login = { MasterUsername: "owner", MasterUserPassword: "long-enough-1" };
  const shape = { DBInstanceClass: "db.t4g.medium", Engine: "postgres", EngineVersion: "16.9", AllocatedStorage: 100 };
  const others = { StorageType: "gp3", BackupRetentionPeriod: 7, PreferredMaintenanceWindow: "wed:06:38-wed:07:08" };
  await account.rds.send(
    new CreateDBInstanceCommand({ DBInstanceIdentifier, ...shape, ...others, ...login, ...values }),
  );
}

const modify = (change: Change) =>
  account.rds.send(new ModifyDBInstanceCommand({ DBInstanceIdentifier, ApplyImmediately: true, ...change }));

async function shown(id = DBInstanceIdentifier) {
  return (await account.rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier: id }))).DBInstances?.[0];
}

/** Looks at the instance until it is in a state, and returns the states before. */
async function until(state: string, id = DBInstanceIdentifier): Promise<string[]> {
  const states: string[] = [];
  for (let look = 0; look < 9; look++) {
    const current = (await shown(id))?.DBInstanceStatus ?? "";
    if (current === state) return states;
    states.push(current);
  }
  throw new Error(`The instance was ${states.join(", ")}, but never ${state}.`);
}

const replicate = (id = "replica") =>
  account.rds.send(
    new CreateDBInstanceReadReplicaCommand({
      DBInstanceIdentifier: id,
      SourceDBInstanceIdentifier: DBInstanceIdentifier,
    }),
  );
const stop = (id = DBInstanceIdentifier) => account.rds.send(new StopDBInstanceCommand({ DBInstanceIdentifier: id }));
const start = () => account.rds.send(new StartDBInstanceCommand({ DBInstanceIdentifier }));
const reboot = () => account.rds.send(new RebootDBInstanceCommand({ DBInstanceIdentifier }));

const combination = "InvalidParameterCombination";
const unavailable = { Code: "InvalidDBInstanceState", message: "Database instance is not in available state." };

it.each<
  [title: string, instance: Partial<CreateDBInstanceCommandInput>, change: Change, code: string, message: string]
>([
  [
    "less storage",
    {},
    { AllocatedStorage: 99 },
    combination,
    "Invalid storage size for engine name postgres and storage type gp3: 99",
  ],
  [
    "maintenance during the backup",
    { PreferredBackupWindow: "23:30-00:30" },
    { PreferredMaintenanceWindow: "tue:00:00-tue:00:30" },
    "InvalidParameterValue",
    "The backup window and maintenance window must not overlap.",
  ],
  [
    "growth under 10 %",
    {},
    { AllocatedStorage: 109 },
    combination,
    "The allocated storage must be increased by at least 10 percent.",
  ],
  [
    "IOPS of a small gp3 storage",
    {},
    { AllocatedStorage: 200, Iops: 4000 },
    combination,
    "You can't specify IOPS or storage throughput for engine postgres and a storage size less than 400.",
  ],
  [
    "io1 without its IOPS",
    {},
    { StorageType: "io1" },
    combination,
    "You must specify both the storage size and iops when modifying the storage size or iops on a DB instance that has iops.",
  ],
  [
    "IOPS of gp2",
    { StorageType: "gp2" },
    { Iops: 3000, AllocatedStorage: 200 },
    combination,
    "You can specify IOPS only for the io1, io2 and gp3 storage types.",
  ],
  [
    "a class that the engine lacks",
    {},
    { DBInstanceClass: "db.m3.medium" },
    combination,
    "RDS does not support creating a DB instance with the following combination: DBInstanceClass=db.m3.medium, Engine=postgres, EngineVersion=16.9, LicenseModel=general-public-license. For supported combinations of instance class and database engine version, see the documentation.",
  ],
  ["an unknown version", {}, { EngineVersion: "16.99" }, combination, "Cannot find version 16.99 for postgres"],
  [
    "an earlier version",
    { EngineVersion: "16.10" },
    { EngineVersion: "16.9" },
    combination,
    "Cannot upgrade postgres from 16.10 to 16.9",
  ],
  [
    "a major version without its flag",
    {},
    { EngineVersion: "17" },
    combination,
    "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.",
  ],
  [
    "a retention above 35 days",
    {},
    { BackupRetentionPeriod: 36 },
    "InvalidParameterValue",
    "Invalid backup retention period: 36. Retention period must be between 0 and 35.",
  ],
  [
    "overlapping windows",
    {},
    { PreferredBackupWindow: "06:30-07:00" },
    "InvalidParameterValue",
    "The backup window and maintenance window must not overlap.",
  ],
])("refuses %s, and changes nothing", async (_title, instance, change, Code, message) => {
  await create(instance);
  const { LatestRestorableTime: _, ...before } = (await shown()) ?? {};
  await expect(modify(change)).rejects.toMatchObject({ Code, message });
  const { LatestRestorableTime: __, ...after } = (await shown()) ?? {};
  expect(after).toEqual(before);
});

it.each<[title: string, change: Change, states: string[]]>([
  ["a class", { DBInstanceClass: "db.t4g.large" }, ["modifying"]],
  ["storage", { AllocatedStorage: 200 }, ["modifying", "storage-optimization"]],
  ["a version", { EngineVersion: "16.10" }, ["upgrading"]],
  ["a second zone", { MultiAZ: true }, ["modifying"]],
])("changes %s at once, over the states of RDS", async (_title, change, states) => {
  await create();
  const { DBInstance } = await modify(change);
  expect(DBInstance).toMatchObject({ DBInstanceStatus: "available", PendingModifiedValues: change });
  expect(await until("available")).toEqual(states);
  expect(await shown()).toMatchObject({ ...change, PendingModifiedValues: {} });
});

it("refuses every change of an instance that is not available", async () => {
  await create();
  await modify({ DBInstanceClass: "db.t4g.large" });
  expect((await shown())?.DBInstanceStatus).toBe("modifying");
  await expect(modify({ MultiAZ: true })).rejects.toMatchObject(unavailable);
  await expect(reboot()).rejects.toMatchObject(unavailable);
  await expect(replicate()).rejects.toMatchObject(unavailable);
  const notAvailable = { Code: "InvalidDBInstanceState", message: "Instance db is not in available state." };
  await expect(stop()).rejects.toMatchObject(notAvailable);
  const remove = new DeleteDBInstanceCommand({ DBInstanceIdentifier, SkipFinalSnapshot: true });
  await expect(account.rds.send(remove)).rejects.toMatchObject({ Code: "InvalidDBInstanceState" });
  expect(await shown()).toMatchObject({ DBInstanceClass: "db.t4g.large", MultiAZ: false });
});

it("changes storage four times within 24 hours, and never during its optimization", async () => {
  await create();
  await modify({ AllocatedStorage: 200 });
  for (const state of ["modifying", "storage-optimization"]) expect((await shown())?.DBInstanceStatus).toBe(state);
  const message =
    "You can't currently modify the storage of this DB instance because the previous storage change is being optimized.";
  await expect(modify({ AllocatedStorage: 300 })).rejects.toMatchObject({ Code: combination, message });
  await modify({ DBInstanceClass: "db.t4g.large" });
  expect(await until("available")).toEqual(["modifying", "storage-optimization"]);
  for (const AllocatedStorage of [300, 400, 500]) {
    await modify({ AllocatedStorage });
    await until("available");
  }
  const fifth = {
    Code: combination,
    message: "You can perform a maximum of four storage modifications within any 24-hour period.",
  };
  await expect(modify({ AllocatedStorage: 600 })).rejects.toMatchObject(fifth);
  expect(await shown()).toMatchObject({ AllocatedStorage: 500, DBInstanceClass: "db.t4g.large" });
  await account.aws.control.setClockOffset(hours(25), { accountId: account.accountId });
  await modify({ AllocatedStorage: 600 });
  await until("available");
  expect(await shown()).toMatchObject({ AllocatedStorage: 600 });
});

it("keeps a change until the maintenance window by the account's clock", async () => {
  await create();
  const change = { DBInstanceClass: "db.t4g.large", AllocatedStorage: 200 };
  const { DBInstance } = await modify({ ...change, ApplyImmediately: false });
  expect(DBInstance?.PendingModifiedValues).toEqual(change);
  const waiting = { DBInstanceStatus: "available", DBInstanceClass: "db.t4g.medium", AllocatedStorage: 100 };
  for (let look = 0; look < 3; look++)
    expect(await shown()).toMatchObject({ ...waiting, PendingModifiedValues: change });
  await account.aws.control.setClockOffset(hours(7 * 24), { accountId: account.accountId });
  expect(await until("available")).toEqual(["modifying", "storage-optimization"]);
  expect(await shown()).toMatchObject({ ...change, PendingModifiedValues: {} });
});

it("applies what waits for the window at a reboot, but not the storage", async () => {
  await create();
  await modify({ DBInstanceClass: "db.t4g.large", AllocatedStorage: 200, ApplyImmediately: false });
  expect((await reboot()).DBInstance?.DBInstanceStatus).toBe("rebooting");
  expect(await until("available")).toEqual(["rebooting"]);
  const PendingModifiedValues = { AllocatedStorage: 200 };
  expect(await shown()).toMatchObject({
    DBInstanceClass: "db.t4g.large",
    AllocatedStorage: 100,
    PendingModifiedValues,
  });
});

it("changes a password, a window and a retention at once, whatever the call says", async () => {
  await create();
  const { DBInstance } = await modify({ MasterUserPassword: "another-one-2", ApplyImmediately: false });
  expect(DBInstance?.PendingModifiedValues).toEqual({ MasterUserPassword: "****" });
  expect(await shown()).toMatchObject({ DBInstanceStatus: "available", PendingModifiedValues: {} });
  const change = { BackupRetentionPeriod: 9, PreferredBackupWindow: "10:00-11:00", ApplyImmediately: false };
  await modify(change);
  const { ApplyImmediately: _, ...values } = change;
  expect(await shown()).toMatchObject({ DBInstanceStatus: "available", ...values });
  await modify({ BackupRetentionPeriod: 0, ApplyImmediately: false });
  expect(await shown()).toMatchObject({
    BackupRetentionPeriod: 9,
    PendingModifiedValues: { BackupRetentionPeriod: 0 },
  });
});

it("upgrades to a major version with its flag", async () => {
  await create();
  await modify({ EngineVersion: "17.5", AllowMajorVersionUpgrade: true });
  expect(await until("available")).toEqual(["upgrading"]);
  expect((await shown())?.EngineVersion).toBe("17.5");
});

it("stops and starts an instance, also in two zones, and starts it by itself after seven days", async () => {
  await create({ MultiAZ: true });
  const notStopped = { Code: "InvalidDBInstanceState", message: "Instance db is not stopped, it cannot be started." };
  await expect(start()).rejects.toMatchObject(notStopped);
  expect((await stop()).DBInstance?.DBInstanceStatus).toBe("stopping");
  expect(await until("stopped")).toEqual(["stopping"]);
  expect((await shown())?.AutomaticRestartTime).toEqual(expect.any(Date));
  await expect(modify({ DBInstanceClass: "db.t4g.large" })).rejects.toMatchObject(unavailable);
  await start();
  expect(await until("available")).toEqual(["starting"]);
  await stop();
  await until("stopped");
  await account.aws.control.setClockOffset(hours(6 * 24), { accountId: account.accountId });
  expect((await shown())?.DBInstanceStatus).toBe("stopped");
  await account.aws.control.setClockOffset(hours(8 * 24), { accountId: account.accountId });
  expect(await until("available")).toEqual(["starting"]);
});

it("stops no replica and no source, and keeps the backups of a source", async () => {
  await create();
  await replicate();
  const Code = "InvalidDBInstanceState";
  await expect(stop("replica")).rejects.toMatchObject({
    Code,
    message: "Cannot stop or start a Read-Replica instance",
  });
  const ofSource = "Cannot stop or start an instance that has Read-Replicas";
  await expect(stop()).rejects.toMatchObject({ Code, message: ofSource });
  await expect(modify({ BackupRetentionPeriod: 0 })).rejects.toMatchObject({ Code });
  expect(await shown()).toMatchObject({ DBInstanceStatus: "available", BackupRetentionPeriod: 7 });
  expect(await shown("replica")).toMatchObject({ DBInstanceStatus: "available", BackupRetentionPeriod: 0 });
});

it("promotes a replica, and refuses what is none", async () => {
  await create();
  await replicate();
  const promote = (id: string, settings: Partial<PromoteReadReplicaCommandInput> = {}) =>
    account.rds.send(new PromoteReadReplicaCommand({ DBInstanceIdentifier: id, ...settings }));
  const Code = "InvalidDBInstanceState";
  await expect(promote("db")).rejects.toMatchObject({ Code, message: "DB Instance is not a read replica" });
  const refused = { PreferredBackupWindow: "06:30-07:00" };
  await expect(promote("replica", refused)).rejects.toMatchObject({ Code: "InvalidParameterValue" });
  await promote("replica", { BackupRetentionPeriod: 5, PreferredBackupWindow: "10:00-11:00" });
  const meanwhile = { DBInstanceStatus: "modifying", ReadReplicaSourceDBInstanceIdentifier: "db" };
  expect(await shown("replica")).toMatchObject(meanwhile);
  await expect(promote("replica")).rejects.toMatchObject({ Code });
  expect(await until("available", "replica")).toEqual(["rebooting"]);
  const promoted = await shown("replica");
  expect(promoted).toMatchObject({ BackupRetentionPeriod: 5, PreferredBackupWindow: "10:00-11:00" });
  expect(promoted?.ReadReplicaSourceDBInstanceIdentifier).toBeUndefined();
  expect((await shown())?.ReadReplicaDBInstanceIdentifiers).toEqual([]);
  await stop("replica");
});

it("replicates and restores only an instance with backups", async () => {
  await create({ BackupRetentionPeriod: 0 });
  const message =
    "Automated backups are not enabled for this database instance. To enable automated backups, use ModifyDBInstance to set the backup retention period to a non-zero value.";
  await expect(replicate()).rejects.toMatchObject({ Code: "InvalidDBInstanceState", message });
  const target = { SourceDBInstanceIdentifier: "db", TargetDBInstanceIdentifier: "copy" };
  const restore = () =>
    account.rds.send(new RestoreDBInstanceToPointInTimeCommand({ ...target, UseLatestRestorableTime: true }));
  await expect(restore()).rejects.toMatchObject({ Code: "PointInTimeRestoreNotEnabled" });
  await modify({ BackupRetentionPeriod: 7 });
  await until("available");
  await restore();
  expect(await shown("copy")).toMatchObject({ DBInstanceClass: "db.t4g.medium", AllocatedStorage: 100 });
});

const at = (time: Date) => time.toISOString().replace(/\.\d+Z/, "Z");

it("restores an instance with its user and version, and the settings of the call", async () => {
  await create({ MultiAZ: true, MasterUsername: "boss", BackupRetentionPeriod: 3 });
  const { InstanceCreateTime: created = new Date(), VpcSecurityGroups: groups } = (await shown()) ?? {};
  const restore = (values: Partial<RestoreDBInstanceToPointInTimeCommandInput>) =>
    account.rds.send(
      new RestoreDBInstanceToPointInTimeCommand({
        SourceDBInstanceIdentifier: DBInstanceIdentifier,
        TargetDBInstanceIdentifier: "copy",
        ...values,
      }),
    );
  const late = new Date(Date.now() + hours(1));
  const early = new Date(created.getTime() - hours(1));
  const tooEarly = `The specified instance cannot be restored to a time earlier than ${at(created)} because its backup retention period is set to 3 days.`;
  await expect(restore({})).rejects.toMatchObject({ Code: combination });
  await expect(restore({ RestoreTime: late })).rejects.toMatchObject({
    Code: "InvalidParameterValue",
    message: expect.stringMatching(/^The specified instance cannot be restored to a time later than .*Z\.$/),
  });
  const refused = { Code: "InvalidParameterValue", message: tooEarly };
  await expect(restore({ RestoreTime: early })).rejects.toMatchObject(refused);
  const smaller = { Code: "InvalidParameterValue" };
  await expect(restore({ UseLatestRestorableTime: true, AllocatedStorage: 50 })).rejects.toMatchObject(smaller);
  await expect(
    restore({ UseLatestRestorableTime: true, TargetDBInstanceIdentifier: DBInstanceIdentifier }),
  ).rejects.toMatchObject({ Code: "DBInstanceAlreadyExists" });
  await restore({
    RestoreTime: (await shown())?.LatestRestorableTime,
    BackupRetentionPeriod: 5,
    AllocatedStorage: 200,
  });
  const settings = { MasterUsername: "boss", EngineVersion: "16.9", BackupRetentionPeriod: 5, AllocatedStorage: 200 };
  expect(await shown("copy")).toMatchObject({ ...settings, MultiAZ: false, VpcSecurityGroups: groups });
  await account.rds.send(new CreateDBSnapshotCommand({ DBInstanceIdentifier, DBSnapshotIdentifier: "kept" }));
  await modify({ AllocatedStorage: 150 });
  const fromSnapshot = (id: string, values: Partial<RestoreDBInstanceFromDBSnapshotCommandInput> = {}) =>
    account.rds.send(
      new RestoreDBInstanceFromDBSnapshotCommand({
        DBInstanceIdentifier: id,
        DBSnapshotIdentifier: "kept",
        ...values,
      }),
    );
  await expect(fromSnapshot("other", { AllocatedStorage: 50 })).rejects.toMatchObject(smaller);
  await expect(fromSnapshot("copy")).rejects.toMatchObject({ Code: "DBInstanceAlreadyExists" });
  await fromSnapshot("other");
  await until("available", "other");
  expect(await shown("other")).toMatchObject({ MasterUsername: "boss", AllocatedStorage: 100, MultiAZ: false });
});

it.each<[title: string, change: Partial<ModifyDBClusterCommandInput>, code: string, message: string]>([
  ["an earlier version", { EngineVersion: "16.9" }, combination, "Cannot upgrade aurora-postgresql from 16.10 to 16.9"],
  [
    "a major version without its flag",
    { EngineVersion: "17" },
    combination,
    "The AllowMajorVersionUpgrade flag must be present when upgrading to a new major version.",
  ],
  [
    "no retention",
    { BackupRetentionPeriod: 0 },
    "InvalidParameterValue",
    "Invalid backup retention period: 0. Retention period must be between 1 and 35.",
  ],
])("refuses %s for a cluster, and changes nothing", async (_title, change, Code, message) => {
  const login = { MasterUsername: "owner", MasterUserPassword: "long-enough-1" };
  const cluster = { DBClusterIdentifier: "cluster", Engine: "aurora-postgresql", EngineVersion: "16.10" };
  await account.rds.send(new CreateDBClusterCommand({ ...cluster, BackupRetentionPeriod: 7, ...login }));
  const before = (await account.rds.send(new DescribeDBClustersCommand({}))).DBClusters?.[0];
  const modification = account.rds.send(new ModifyDBClusterCommand({ DBClusterIdentifier: "cluster", ...change }));
  await expect(modification).rejects.toMatchObject({ Code, message });
  const after = (await account.rds.send(new DescribeDBClustersCommand({}))).DBClusters?.[0];
  expect({ ...after, LatestRestorableTime: undefined }).toEqual({ ...before, LatestRestorableTime: undefined });
});
