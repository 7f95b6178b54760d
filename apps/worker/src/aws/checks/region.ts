import {
  DescribeRegionsCommand,
  GetEbsDefaultKmsKeyIdCommand,
  GetEbsEncryptionByDefaultCommand,
} from "@aws-sdk/client-ec2";
import { codeOf } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { findDefaultVpc } from "../ec2/default-vpc.js";
import { describeZones } from "../ec2/locations.js";
import { findServerImage } from "../ssm/server-image.js";
import { type Check, checked, type Outcome } from "./check.js";
import { DEFAULT_FLAVOR, zonesWithDefault } from "./defaults.js";

/** The name of the line that names the region's default VPC. */
export const DEFAULT_VPC = "default VPC";

/**
 * Whether the account has opted in to the region. `aws` acts in the provider's home region, because AWS answers this
 * only there.
 */
export function checkRegionEnabled(aws: Aws, region: string): Promise<Check> {
  return checked("region", region, async () => {
    const describe = new DescribeRegionsCommand({ AllRegions: true, RegionNames: [region] });
    const status = (await aws.ec2.send(describe)).Regions?.[0]?.OptInStatus;
    if (status !== "not-opted-in") return { reason: `The region is enabled (${status})` };
    const reason = "The AWS account has not opted in to the region";
    return { result: "fails", reason, remedy: "Enable it in the account's settings", who: "owner" };
  });
}

/** What servers without further settings need in a region. */
export function checkServerDefaults(aws: Aws): Promise<Check[]> {
  return Promise.all(
    [
      ["image for servers", image],
      [DEFAULT_VPC, defaultVpc],
      [`offer of ${DEFAULT_FLAVOR}`, offer],
      ["EBS encryption", encryption],
    ].map(([name, look]) => checked(name as string, aws.region, () => (look as typeof image)(aws))),
  );
}

async function image(aws: Aws): Promise<Outcome> {
  const found = await findServerImage()(aws).catch((error) => {
    if (/^(ParameterNotFound|InvalidAMIID)/.test(codeOf(error))) return undefined;
    throw error;
  });
  if (found) return { reason: `${aws.serverImage} names ${found.imageId}` };
  const reason = `The region has no image parameter ${aws.serverImage}`;
  return {
    result: "fails",
    reason,
    remedy: "Set SERVER_IMAGE_PARAMETER to a parameter that exists in the region",
    who: "operator",
  };
}

async function defaultVpc(aws: Aws): Promise<Outcome> {
  const id = await findDefaultVpc(aws);
  if (id) return { reason: `${id} contains the servers that have no network` };
  const reason = "The region has no default VPC: servers and databases without a network fail";
  return {
    result: "warning",
    reason,
    remedy: "Use a network for every environment, or create a default VPC",
    who: "owner",
  };
}

async function offer(aws: Aws): Promise<Outcome> {
  const [offered, zones] = await Promise.all([zonesWithDefault(aws), describeZones(aws)]);
  const without = zones.filter((zone) => !offered.includes(zone));
  if (offered.length === 0) {
    const remedy = "Choose another flavor for each server";
    return {
      result: "fails",
      reason: `AWS does not offer ${DEFAULT_FLAVOR} in any zone of the region`,
      remedy,
      who: "owner",
    };
  }
  if (without.length === 0) return { reason: `AWS offers ${DEFAULT_FLAVOR} in every zone` };
  return {
    reason: `AWS offers ${DEFAULT_FLAVOR} in ${offered.length} of ${zones.length} zones, not in ${without.join(", ")}`,
  };
}

async function encryption(aws: Aws): Promise<Outcome> {
  const { EbsEncryptionByDefault } = await aws.ec2.send(new GetEbsEncryptionByDefaultCommand({}));
  if (!EbsEncryptionByDefault) return { reason: "The account encrypts new volumes only if Gantry requests it" };
  const { KmsKeyId = "" } = await aws.ec2.send(new GetEbsDefaultKmsKeyIdCommand({}));
  const reason = `The account encrypts every new volume with ${KmsKeyId}`;
  if (KmsKeyId.endsWith("alias/aws/ebs")) return { reason };
  const remedy = "Allow Gantry's role and AWSServiceRoleForAutoScaling in the key's policy";
  return { result: "warning", reason: `${reason}, a customer-managed key`, remedy, who: "owner" };
}
