import {
  AllocateAddressCommand,
  CreateInternetGatewayCommand,
  CreateLaunchTemplateCommand,
  CreateSecurityGroupCommand,
  CreateVolumeCommand,
  CreateVpcCommand,
  ImportKeyPairCommand,
  type ResourceType,
  RunInstancesCommand,
} from "@aws-sdk/client-ec2";
import { classifyAwsError, codeOf } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { defaultSubnets, findDefaultVpc } from "../ec2/default-vpc.js";
import { tagSpecification } from "../ec2/tags.js";
import { findServerImage } from "../ssm/server-image.js";
import { type Check, checked, DENIED, type Outcome } from "./check.js";
import { DEFAULT_FLAVOR, zonesWithDefault } from "./defaults.js";
import { outcomeOf } from "./permissions.js";

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJo1ZyMGyvY7dNB1gRYAPoUkQvCyKq8NuQwxUMnvTDBb gantry-check";

type DryRun = [action: string, call: () => Promise<unknown>];

/** Asks AWS whether it would carry out the creates that need no object of Gantry's; each call is a dry run. */
export function checkDryRuns(aws: Aws): Promise<Check> {
  return checked("dry runs of ec2", aws.region, async () => {
    const decisions = { allowed: [] as string[], denied: [] as string[], open: [] as string[] };
    for (const [action, call] of await dryRuns(aws)) decisions[await decisionOf(call)].push(action);
    return outcomeOf(decisions) satisfies Outcome;
  });
}

async function decisionOf(call: () => Promise<unknown>): Promise<"allowed" | "denied" | "open"> {
  try {
    await call();
    return "open";
  } catch (error) {
    const code = codeOf(error);
    if (code === "DryRunOperation") return "allowed";
    if (DENIED.test(code)) return "denied";
    if (classifyAwsError(error)?.kind !== "permanent") throw error;
    return "open";
  }
}

async function dryRuns(aws: Aws): Promise<DryRun[]> {
  const { ec2 } = aws;
  const zones = await zonesWithDefault(aws);
  const [vpcId, subnets, image] = await Promise.all([
    findDefaultVpc(aws),
    defaultSubnets({ zones })(aws),
    findServerImage()(aws).catch(() => undefined),
  ]);
  const DryRun = true;
  const [subnetId] = subnets;
  const of = (type: ResourceType) => ({ DryRun, TagSpecifications: tagSpecification(type, { tags }) });
  const name = "gantry-check";
  const group = { GroupName: name, Description: "A dry run", ...(vpcId && { VpcId: vpcId }) };
  const launch = { MinCount: 1, MaxCount: 1, InstanceType: DEFAULT_FLAVOR, ...(subnetId && { SubnetId: subnetId }) };
  const template = { LaunchTemplateName: name, LaunchTemplateData: { InstanceType: DEFAULT_FLAVOR } };
  const runs: DryRun[] = [
    ["ec2:CreateVpc", () => ec2.send(new CreateVpcCommand({ ...of("vpc"), CidrBlock: "10.0.0.0/16" }))],
    ["ec2:CreateInternetGateway", () => ec2.send(new CreateInternetGatewayCommand(of("internet-gateway")))],
    ["ec2:AllocateAddress", () => ec2.send(new AllocateAddressCommand({ ...of("elastic-ip"), Domain: "vpc" }))],
    ["ec2:CreateSecurityGroup", () => ec2.send(new CreateSecurityGroupCommand({ ...of("security-group"), ...group }))],
    [
      "ec2:CreateLaunchTemplate",
      () => ec2.send(new CreateLaunchTemplateCommand({ ...of("launch-template"), ...template })),
    ],
    [
      "ec2:ImportKeyPair",
      () =>
        ec2.send(new ImportKeyPairCommand({ ...of("key-pair"), KeyName: name, PublicKeyMaterial: Buffer.from(KEY) })),
    ],
  ];
  const [zone] = zones;
  if (zone) {
    const volume = { AvailabilityZone: zone, Size: 1, VolumeType: "gp3" } as const;
    runs.push(["ec2:CreateVolume", () => ec2.send(new CreateVolumeCommand({ ...of("volume"), ...volume }))]);
  }
  if (image && subnetId) {
    const run = { ...of("instance"), ...launch, ImageId: image.imageId };
    runs.push(["ec2:RunInstances", () => ec2.send(new RunInstancesCommand(run))]);
  }
  return runs;
}

const tags = { "gantry:account": "check" };
