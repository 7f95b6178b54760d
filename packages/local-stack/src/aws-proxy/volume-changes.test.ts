import {
  CreateVolumeCommand,
  type CreateVolumeCommandInput,
  DescribeVolumesCommand,
  DescribeVolumesModificationsCommand,
  ModifyVolumeCommand,
  type ModifyVolumeCommandInput,
} from "@aws-sdk/client-ec2";
import { accountOfEachTest } from "../testing.js";

const account = accountOfEachTest();

const hours = (count: number) => count * 3_600_000;

async function create(values: Partial<CreateVolumeCommandInput> = {}): Promise<string> {
  const shape = { AvailabilityZone: "us-east-1a", Size: 100, VolumeType: "gp3" as const, ...values };
  return (await account.ec2.send(new CreateVolumeCommand(shape))).VolumeId ?? "";
}

const modify = (VolumeId: string, values: Omit<ModifyVolumeCommandInput, "VolumeId">) =>
  account.ec2.send(new ModifyVolumeCommand({ VolumeId, ...values }));

async function shown(id: string) {
  const { Volumes } = await account.ec2.send(new DescribeVolumesCommand({ VolumeIds: [id] }));
  const { Size, VolumeType, Iops, Throughput } = Volumes?.[0] ?? {};
  return { Size, VolumeType, Iops, Throughput };
}

async function modification(id: string) {
  const found = await account.ec2.send(new DescribeVolumesModificationsCommand({ VolumeIds: [id] }));
  expect(found.VolumesModifications).toHaveLength(1);
  return found.VolumesModifications?.[0];
}

async function complete(id: string) {
  for (let look = 0; look < 3; look++) await modification(id);
  expect((await modification(id))?.ModificationState).toBe("completed");
}

it.each<
  [
    title: string,
    volume: Partial<CreateVolumeCommandInput>,
    change: Partial<ModifyVolumeCommandInput>,
    code: string,
    message: string,
  ]
>([
  ["a smaller size", {}, { Size: 99 }, "InvalidParameterValue", "New size cannot be smaller than existing size"],
  [
    "no value",
    {},
    {},
    "InvalidParameterValue",
    "Invalid input: Must specify at least one of size, type, iops, throughput or multi-attach.",
  ],
  [
    "a size above the type's",
    { VolumeType: "gp2" },
    { Size: 16_385 },
    "InvalidParameterValue",
    "Volume of 16385GiB is too large for volume type gp2; maximum is 16384GiB.",
  ],
  [
    "a type whose smallest size is larger",
    {},
    { VolumeType: "st1" },
    "InvalidParameterValue",
    "Volume of 100GiB is too small for volume type st1; minimum is 125GiB.",
  ],
  [
    "IOPS of a type that takes none",
    { VolumeType: "gp2" },
    { Iops: 3000 },
    "InvalidParameterCombination",
    "The parameter iops is not supported for gp2 volumes.",
  ],
  [
    "IOPS below the type's",
    {},
    { Iops: 2999 },
    "InvalidParameterValue",
    "Volume iops of 2999 is too low; minimum is 3000.",
  ],
  [
    "IOPS above the type's",
    { VolumeType: "io1", Iops: 100 },
    { Iops: 64_001 },
    "InvalidParameterValue",
    "Volume iops of 64001 is too high; maximum is 64000.",
  ],
  [
    "too many IOPS for the size",
    { VolumeType: "io1", Iops: 100 },
    { Iops: 5001 },
    "InvalidParameterValue",
    "Iops to volume size ratio of 50.010000 is too high; maximum is 50",
  ],
  [
    "a type whose default IOPS are too many for the size",
    { Size: 10 },
    { VolumeType: "io1" },
    "InvalidParameterValue",
    "Iops to volume size ratio of 300.000000 is too high; maximum is 50",
  ],
  [
    "throughput of a type that takes none",
    { VolumeType: "gp2" },
    { Throughput: 250 },
    "InvalidParameterCombination",
    "throughput can only be specified for volumeType gp3.",
  ],
  [
    "throughput below the type's",
    {},
    { Throughput: 124 },
    "InvalidParameterValue",
    "Throughput of 124 is too low; minimum is 125.",
  ],
  [
    "too much throughput for the IOPS",
    {},
    { Throughput: 751 },
    "InvalidParameterValue",
    "Throughput (MiBps) to iops ratio of 0.250333 is too high; maximum is 0.250000 MiBps per iops",
  ],
])("refuses %s, and changes nothing", async (_title, volume, change, Code, message) => {
  const id = await create(volume);
  const before = await shown(id);
  await expect(modify(id, change)).rejects.toMatchObject({ Code, message });
  expect(await shown(id)).toEqual(before);
  const none = account.ec2.send(new DescribeVolumesModificationsCommand({ VolumeIds: [id] }));
  await expect(none).rejects.toMatchObject({
    Code: "InvalidVolumeModification.NotFound",
    message: `Modification for volume '${id}' does not exist.`,
  });
});

it("refuses to modify a volume that is being created", async () => {
  await account.aws.control.setTransitionDelays({ volumeMs: hours(1) }, { accountId: account.accountId });
  const id = await create();
  const message = `Volume ${id} must be in the available or in-use state to be modified.`;
  await expect(modify(id, { Size: 101 })).rejects.toMatchObject({ Code: "IncorrectState", message });
});

it("shows a modification as modifying, optimizing and completed, and its values from optimizing on", async () => {
  const id = await create();
  const former = { Size: 100, VolumeType: "gp3", Iops: 3000 };
  const { VolumeModification } = await modify(id, { Size: 200, Iops: 4000, Throughput: 500 });
  expect(VolumeModification).toMatchObject({
    VolumeId: id,
    ModificationState: "modifying",
    Progress: 0,
    OriginalSize: 100,
    TargetSize: 200,
    OriginalIops: 3000,
    TargetIops: 4000,
    TargetThroughput: 500,
    OriginalVolumeType: "gp3",
    TargetVolumeType: "gp3",
    StartTime: expect.any(Date),
  });
  expect(await shown(id)).toMatchObject(former);
  const wanted = { Size: 200, VolumeType: "gp3", Iops: 4000, Throughput: 500 };
  expect(await modification(id)).toMatchObject({ ModificationState: "optimizing", Progress: 50 });
  const during = modify(id, { Size: 300 });
  await expect(during).rejects.toMatchObject({
    Code: "IncorrectModificationState",
    message: `Volume ${id} cannot be modified in modification state OPTIMIZING`,
  });
  const completed = await modification(id);
  expect(completed).toMatchObject({ ModificationState: "completed", Progress: 100, EndTime: expect.any(Date) });
  expect(await shown(id)).toEqual(wanted);
});

it("keeps a modification in its states for the account's delay", async () => {
  await account.aws.control.setTransitionDelays({ volumeModificationMs: hours(2) }, { accountId: account.accountId });
  const id = await create();
  await modify(id, { Size: 200 });
  for (let look = 0; look < 4; look++) expect((await modification(id))?.ModificationState).toBe("modifying");
  await expect(modify(id, { Size: 300 })).rejects.toMatchObject({
    Code: "IncorrectModificationState",
    message: `Volume ${id} cannot be modified in modification state MODIFYING`,
  });
  expect(await shown(id)).toMatchObject({ Size: 100 });
  await account.aws.control.setClockOffset(hours(1.5), { accountId: account.accountId });
  expect((await modification(id))?.ModificationState).toBe("optimizing");
  expect(await shown(id)).toMatchObject({ Size: 200 });
  await account.aws.control.setClockOffset(hours(3), { accountId: account.accountId });
  expect((await modification(id))?.ModificationState).toBe("completed");
});

it("gives a volume of another type the values that are the type's default", async () => {
  const id = await create({ VolumeType: "gp2" });
  await modify(id, { VolumeType: "gp3" });
  await complete(id);
  expect(await shown(id)).toEqual({ Size: 100, VolumeType: "gp3", Iops: 3000, Throughput: 125 });
  await modify(id, { VolumeType: "gp2" });
  await complete(id);
  expect(await shown(id)).toMatchObject({ Size: 100, VolumeType: "gp2", Throughput: undefined });
});

it("allows four modifications within 24 hours of the account's clock", async () => {
  const id = await create();
  for (const Size of [101, 102, 103, 104]) {
    await modify(id, { Size });
    await complete(id);
  }
  const message = expect.stringMatching(
    /^You've reached the maximum modification rate per volume limit\. Wait until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z before you can issue the next modification request for this volume\.$/,
  );
  const fifth = () => modify(id, { Size: 105 });
  await expect(fifth()).rejects.toMatchObject({ Code: "VolumeModificationRateExceeded", message });
  await account.aws.control.setClockOffset(hours(23), { accountId: account.accountId });
  await expect(fifth()).rejects.toMatchObject({ Code: "VolumeModificationRateExceeded" });
  expect(await shown(id)).toMatchObject({ Size: 104 });
  await account.aws.control.setClockOffset(hours(25), { accountId: account.accountId });
  await fifth();
  await complete(id);
  expect(await shown(id)).toMatchObject({ Size: 105 });
});
