import { DescribeAvailabilityZonesCommand, DescribeRegionsCommand } from "@aws-sdk/client-ec2";
import { partition } from "@aws-sdk/core/client";
import type { Aws } from "../clients.js";

/** The names of the regions that the account may use. */
export async function describeRegions({ ec2 }: Aws): Promise<string[]> {
  const { Regions } = await ec2.send(new DescribeRegionsCommand({}));
  return (Regions ?? []).map(({ RegionName }) => RegionName ?? "").filter(Boolean);
}

/** AWS's name of a region as the AWS SDK carries it; the id if the SDK is older than the region. */
export function awsRegionName(id: string): string {
  const { description } = partition(id) as { description?: string };
  return description ?? id;
}

/**
 * The names of the region's availability zones; no local or wavelength zones, and none that is named after another region,
 * as emulators may answer.
 */
export async function describeZones({ ec2, region }: Aws): Promise<string[]> {
  const filter = { Name: "zone-type", Values: ["availability-zone"] };
  const { AvailabilityZones } = await ec2.send(new DescribeAvailabilityZonesCommand({ Filters: [filter] }));
  return (AvailabilityZones ?? []).map(({ ZoneName }) => ZoneName ?? "").filter((zone) => zone.startsWith(region));
}
