import type {
  _InstanceType as InstanceType,
  RequestLaunchTemplateData,
  RunInstancesRequest,
} from "@aws-sdk/client-ec2";
import type { Intent } from "../../engine/cloud-kind.js";
import type { ServerImage } from "../ssm/server-image.js";
import { tagSpecification } from "./tags.js";

const MIN_ROOT_GB = 16;
/** The burstable types: AWS launches all but t2 with unlimited CPU credits by default. */
const BURSTABLE = /^t\d/;
const EBS_OPTIMIZED = /^(m4|r4|c4)\./;

/** The settings of an instance that Gantry or a scaling group launches. */
export interface LaunchSettings extends ServerImage {
  /** AWS's instance type, such as t3.medium. */
  flavor: string;
  securityGroupIds: string[];
  keyName: string | null;
  /** True for hardware that no other AWS account shares. */
  dedicated: boolean;
  encryptedRoot: boolean;
  /** Of a burstable type; `standard` if absent: with `unlimited` AWS bills the credits above those earned. */
  cpuCredits?: string | null;
  /** True for a private subnet, in which the instance gets no public address. */
  isPrivate?: boolean;
}

/** The part of a launch that RunInstances and a launch template share. A template names no subnet. */
export function launchSettings(settings: LaunchSettings, tags: Intent<unknown>["tags"], subnetId?: string) {
  const { imageId, flavor, keyName, rootDevice, rootSizeGb, encryptedRoot, dedicated } = settings;
  return {
    ImageId: imageId,
    ...flavorSettings(flavor, settings.cpuCredits),
    MetadataOptions: { HttpTokens: "required", HttpEndpoint: "enabled" },
    NetworkInterfaces: [
      {
        DeviceIndex: 0,
        ...(subnetId && { SubnetId: subnetId }),
        ...(settings.securityGroupIds.length > 0 && { Groups: settings.securityGroupIds }),
        AssociatePublicIpAddress: !settings.isPrivate,
        DeleteOnTermination: true,
      },
    ],
    BlockDeviceMappings: [
      {
        DeviceName: rootDevice,
        Ebs: {
          VolumeSize: Math.max(MIN_ROOT_GB, rootSizeGb),
          VolumeType: "gp3",
          DeleteOnTermination: true,
          // AWS refuses `false` if the image or the account demands encryption.
          ...(encryptedRoot && { Encrypted: true }),
        },
      },
    ],
    TagSpecifications: [...tagSpecification("instance", { tags }), ...tagSpecification("volume", { tags })],
    ...(keyName && { KeyName: keyName }),
    ...(dedicated && { Placement: { Tenancy: "dedicated" } }),
  } satisfies Partial<RunInstancesRequest> & RequestLaunchTemplateData;
}

/** The part of a launch that depends on the flavor. */
export function flavorSettings(flavor: string, cpuCredits?: string | null) {
  return {
    InstanceType: flavor as InstanceType,
    ...(EBS_OPTIMIZED.test(flavor) && { EbsOptimized: true }),
    ...(BURSTABLE.test(flavor) && { CreditSpecification: { CpuCredits: cpuCredits ?? "standard" } }),
  } satisfies RequestLaunchTemplateData;
}
