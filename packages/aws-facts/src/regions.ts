/** The partitions of AWS that providers may be in, with the region for calls that concern an AWS account as a whole. */
const HOME_REGIONS = { aws: "us-east-1", "aws-cn": "cn-north-1", "aws-us-gov": "us-gov-west-1" } as const;

/** A partition of AWS: accounts, roles and regions of different partitions are separate. */
export type Partition = keyof typeof HOME_REGIONS;

export const PARTITIONS = Object.keys(HOME_REGIONS) as Partition[];

/** The partition of a region of AWS. */
export function partitionOf(region: string): Partition {
  if (region.startsWith("cn-")) return "aws-cn";
  return region.startsWith("us-gov-") ? "aws-us-gov" : "aws";
}

/**
 * `preferred` if it lies in the partition, else the partition's region for calls that concern an account as a whole.
 */
export function regionIn(partition: Partition, preferred: string | undefined): string {
  return preferred && partitionOf(preferred) === partition ? preferred : HOME_REGIONS[partition];
}

/** The partition of an ARN; undefined if Gantry does not work in it. */
export function partitionOfArn(arn: string): Partition | undefined {
  const [, name] = arn.split(":");
  return PARTITIONS.find((partition) => partition === name);
}

/** The names of the regions in the specification, by id. AWS names the others. */
export const REGION_NAMES: ReadonlyMap<string, string> = new Map([
  ["us-east-1", "US East (N. Virginia)"],
  ["us-east-2", "US East (Ohio)"],
  ["us-west-1", "US West (N. California)"],
  ["us-west-2", "US West (Oregon)"],
  ["ca-central-1", "Canada (Central)"],
  ["sa-east-1", "South America (Sao Paulo)"],
  ["eu-west-1", "Europe (Ireland)"],
  ["eu-west-2", "Europe (London)"],
  ["eu-central-1", "Europe (Frankfurt)"],
  ["ap-southeast-1", "Asia Pacific (Singapore)"],
  ["ap-southeast-2", "Asia Pacific (Sydney)"],
  ["ap-northeast-1", "Asia Pacific (Tokyo)"],
  ["ap-northeast-2", "Asia Pacific (Seoul)"],
  ["ap-south-1", "Asia Pacific (Mumbai)"],
]);
