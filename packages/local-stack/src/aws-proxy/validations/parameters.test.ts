import { CreateLaunchTemplateCommand, CreateVolumeCommand, RunInstancesCommand } from "@aws-sdk/client-ec2";
import { emulatorHome } from "../../components/emulator.js";
import { awsClients, cache, startAws } from "../../testing.js";
import { ServiceModels } from "../models/service-model.js";
import { VOLUME_LIMITS } from "./volume-limits.js";

let aws: Awaited<ReturnType<typeof startAws>>;
let ec2: ReturnType<typeof awsClients>["ec2"];

beforeAll(async () => {
  aws = await startAws();
  ({ ec2 } = awsClients(aws.endpoint, await aws.control.createAccount()));
});
afterAll(() => aws.stop());

type Volume = { VolumeType?: "gp2" | "gp3" | "io1" | "io2" | "st1"; Size?: number; Iops?: number; Throughput?: number };

const createVolume = (volume: Volume) =>
  ec2.send(new CreateVolumeCommand({ AvailabilityZone: "us-east-1a", Size: 100, ...volume }));
const run = (Ebs: object, more: object = {}) => {
  const BlockDeviceMappings = [{ DeviceName: "/dev/sdf", Ebs: { VolumeSize: 100, ...Ebs } }];
  const instance = { ImageId: "ami-03cf127a", InstanceType: "t3.micro" as const, BlockDeviceMappings, ...more };
  return ec2.send(new RunInstancesCommand({ ...instance, MinCount: 1, MaxCount: 1 }));
};

const value = (Message: string) => ({ Code: "InvalidParameterValue", message: Message });
const combination = (Message: string) => ({ Code: "InvalidParameterCombination", message: Message });

it.each<[Volume, object]>([
  [{ VolumeType: "gp3", Iops: 2999 }, value("Volume iops of 2999 is too low; minimum is 3000.")],
  [{ VolumeType: "gp3", Size: 1000, Iops: 80_001 }, value("Volume iops of 80001 is too high; maximum is 80000.")],
  [
    { VolumeType: "gp3", Size: 20, Iops: 15_000 },
    value("Iops to volume size ratio of 750.000000 is too high; maximum is 500"),
  ],
  [
    { VolumeType: "gp3", Throughput: 1000 },
    value("Throughput (MiBps) to iops ratio of 0.333333 is too high; maximum is 0.250000 MiBps per iops"),
  ],
  [{ VolumeType: "gp3", Throughput: 124 }, value("Throughput of 124 is too low; minimum is 125.")],
  [{ VolumeType: "gp3", Throughput: 2001 }, value("Throughput of 2001 is too high; maximum is 2000.")],
  [
    { VolumeType: "gp3", Size: 65_537 },
    value("Volume of 65537GiB is too large for volume type gp3; maximum is 65536GiB."),
  ],
  [{ VolumeType: "io1", Iops: 5001 }, value("Iops to volume size ratio of 50.010000 is too high; maximum is 50")],
  [{ VolumeType: "io1" }, combination("The parameter iops must be specified for io1 volumes.")],
  [
    { VolumeType: "io2", Iops: 100, Throughput: 125 },
    combination("throughput can only be specified for volumeType gp3."),
  ],
  [{ VolumeType: "io2", Iops: 256_001 }, value("Volume iops of 256001 is too high; maximum is 256000.")],
  [{ VolumeType: "gp2", Iops: 100 }, combination("The parameter iops is not supported for gp2 volumes.")],
  [{ Iops: 3000 }, combination("The parameter iops is not supported for gp2 volumes.")],
  [{ VolumeType: "st1", Size: 124 }, value("Volume of 124GiB is too small for volume type st1; minimum is 125GiB.")],
])("refuses the volume %j", async (volume, error) => {
  await expect(createVolume(volume)).rejects.toMatchObject(error);
});

it.each<Volume>([
  { VolumeType: "gp3", Size: 1 },
  { VolumeType: "gp3", Size: 1, Iops: 3000 },
  { VolumeType: "gp3", Size: 160, Iops: 80_000, Throughput: 2000 },
  { VolumeType: "io1", Size: 100, Iops: 5000 },
  { VolumeType: "io2", Size: 100, Iops: 100_000 },
  { VolumeType: "gp2", Size: 16_384 },
])("accepts the volume %j", async (volume) => {
  await expect(createVolume(volume)).resolves.toHaveProperty("VolumeId");
});

it("refuses an instance and a launch template with such a disk", async () => {
  const error = value("Volume iops of 100 is too low; minimum is 3000.");
  await expect(run({ VolumeType: "gp3", Iops: 100 })).rejects.toMatchObject(error);
  const BlockDeviceMappings = [{ DeviceName: "/dev/sdf", Ebs: { VolumeType: "gp3" as const, Iops: 100 } }];
  const template = { LaunchTemplateName: "template", LaunchTemplateData: { BlockDeviceMappings } };
  await expect(ec2.send(new CreateLaunchTemplateCommand(template))).rejects.toMatchObject(error);
  await expect(run({ VolumeType: "gp3", Iops: 3000 })).resolves.toHaveProperty("Instances");
});

it("refuses a t2 type on dedicated hardware", async () => {
  const dedicated = { Placement: { Tenancy: "dedicated" } };
  await expect(run({}, { ...dedicated, InstanceType: "t2.micro" })).rejects.toMatchObject({ Code: "Unsupported" });
  await expect(run({}, { ...dedicated, InstanceType: "t3.micro" })).resolves.toHaveProperty("Instances");
});

it("has the limits that the documentation of CreateVolume names", async () => {
  const model = await new ServiceModels(emulatorHome(cache)).of("ec2");
  const members = model?.shapes.CreateVolumeRequest?.members as unknown as Record<string, { documentation: string }>;
  const documented = (member: string) => {
    const text =
      members[member]?.documentation.replace(/<[^>]+>|\(|\)|default/g, " ").replaceAll(/(\d),(\d)/g, "$1$2") ?? "";
    const ranges = text.matchAll(/((?:\w+\s+and\s+)?\w+)\s*:\s+(\d+)\s+[-–]\s+(\d+)/g);
    return [...ranges].flatMap(([, types = "", min, max]) =>
      types.split(/\s+and\s+/).map((type) => [type, [Number(min), Number(max)]]),
    );
  };
  const limits = (name: "sizeGib" | "iops") =>
    Object.entries(VOLUME_LIMITS).flatMap(([type, { [name]: range }]) => (range ? [[type, range]] : []));
  expect(documented("Size")).toEqual(limits("sizeGib"));
  expect(documented("Iops")).toEqual(limits("iops"));
  expect(members.Throughput?.documentation).toContain("125 - 2000");
});
