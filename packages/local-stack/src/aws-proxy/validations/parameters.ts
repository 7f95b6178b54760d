import type { AwsError } from "../aws-response.js";
import type { Call } from "../call.js";
import { checkVolume } from "./volume-limits.js";

type Params = Call["params"];
type ParameterCheck = (params: Params) => AwsError | undefined;

/** The volume whose parameters have a prefix. EC2's default type is gp2. */
function volumeAt(params: Params, prefix: string, sizeName: string) {
  const number = (name: string) => (params[prefix + name] === undefined ? undefined : Number(params[prefix + name]));
  return checkVolume({
    type: params[`${prefix}VolumeType`] ?? "gp2",
    sizeGib: number(sizeName),
    iops: number("Iops"),
    throughput: number("Throughput"),
  });
}

/** The disks of an instance whose parameters have a prefix. */
function checkDisks(params: Params, prefix: string): AwsError | undefined {
  const disk = new RegExp(`^${prefix}BlockDeviceMapping\\.\\d+\\.Ebs\\.`);
  const prefixes = new Set(Object.keys(params).flatMap((name) => disk.exec(name)?.[0] ?? []));
  for (const each of prefixes) {
    const error = volumeAt(params, each, "VolumeSize");
    if (error) return error;
  }
  return undefined;
}

/** Sources: public issues that quote EC2's refusal of a t2 type on dedicated hardware, read in November 2026. */
function checkTenancy(params: Params, prefix: string): AwsError | undefined {
  const isDedicated = params[`${prefix}Placement.Tenancy`] === "dedicated";
  const message =
    "The requested configuration is currently not supported. Please check the documentation for supported configurations.";
  return isDedicated && params[`${prefix}InstanceType`]?.startsWith("t2.")
    ? { code: "Unsupported", message }
    : undefined;
}

const checkInstance =
  (prefix: string): ParameterCheck =>
  (params) =>
    checkTenancy(params, prefix) ?? checkDisks(params, prefix);

const CHECKS: Record<string, ParameterCheck> = {
  CreateVolume: (params) => volumeAt(params, "", "Size"),
  RunInstances: checkInstance(""),
  // AWS only warns here, and refuses the group and the instances of the template.
  CreateLaunchTemplate: checkInstance("LaunchTemplateData."),
  CreateLaunchTemplateVersion: checkInstance("LaunchTemplateData."),
};

/** Returns the error of an EC2 call whose parameters contradict each other or a limit, or undefined. */
export function refuseParameters({ service, action, params }: Call): AwsError | undefined {
  return service === "ec2" ? CHECKS[action]?.(params) : undefined;
}
