import {
  type _InstanceType,
  DescribeInstanceTypesCommand,
  type InstanceTypeInfo,
  paginateDescribeInstanceTypeOfferings,
} from "@aws-sdk/client-ec2";
import type { ComputeOffers } from "@gantry/aws-facts";
import type { Aws } from "../clients.js";

/** Facts about an instance type. */
export interface InstanceTypeFacts {
  name: string;
  vcpus: number;
  memoryMib: number;
  architecture: "x86_64" | "arm64";
  isBurstable: boolean;
  ebsOptimized: boolean;
}

/** The most instance types that one call describes. */
export const TYPES_A_CALL = 100;

// General families without local disks and without faster networks; a region has some 2,000 pairs of these and zones.
const FAMILIES = [
  "t?",
  "t?a",
  "t?g",
  ...["m", "c", "r"].flatMap((family) => [
    `${family}?`,
    ...["i", "a", "g", "i-flex"].map((kind) => `${family}?${kind}`),
  ]),
];

/** The zones in which the region offers each instance type of the general families; up to a thousand pairs a call. */
export async function readComputeOffers({ ec2 }: Aws): Promise<ComputeOffers> {
  const query = {
    LocationType: "availability-zone" as const,
    Filters: [{ Name: "instance-type", Values: FAMILIES.map((family) => `${family}.*`) }],
  };
  const offers: ComputeOffers = {};
  for await (const page of paginateDescribeInstanceTypeOfferings({ client: ec2, pageSize: 1000 }, query)) {
    for (const { InstanceType: name = "", Location: zone = "" } of page.InstanceTypeOfferings ?? []) {
      if (name.includes(".metal")) continue;
      offers[name] = [...(offers[name] ?? []), zone].sort();
    }
  }
  return offers;
}

/** Facts about up to a hundred instance types that the region offers, with one call. */
export function readInstanceTypes(names: string[]): (aws: Aws) => Promise<InstanceTypeFacts[]> {
  return async ({ ec2 }) => {
    const { InstanceTypes } = await ec2.send(
      new DescribeInstanceTypesCommand({ InstanceTypes: names as _InstanceType[] }),
    );
    return (InstanceTypes ?? []).map(factsOf);
  };
}

function factsOf(type: InstanceTypeInfo): InstanceTypeFacts {
  return {
    name: type.InstanceType ?? "",
    vcpus: type.VCpuInfo?.DefaultVCpus ?? 0,
    memoryMib: type.MemoryInfo?.SizeInMiB ?? 0,
    architecture: type.ProcessorInfo?.SupportedArchitectures?.includes("arm64") ? "arm64" : "x86_64",
    isBurstable: type.BurstablePerformanceSupported ?? false,
    ebsOptimized: type.EbsInfo?.EbsOptimizedSupport !== "unsupported",
  };
}
