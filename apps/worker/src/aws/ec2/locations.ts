import { DescribeAvailabilityZonesCommand, DescribeRegionsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** The names of the regions that the account may use. */
export async function describeRegions({ ec2 }: Aws): Promise<string[]> {
  const { Regions } = await ec2.send(new DescribeRegionsCommand({}));
  return (Regions ?? []).map(({ RegionName }) => RegionName ?? "").filter(Boolean);
}

/** The names of the region's availability zones; no local or wavelength zones. */
export async function describeZones({ ec2 }: Aws): Promise<string[]> {
  const filter = { Name: "zone-type", Values: ["availability-zone"] };
  const { AvailabilityZones } = await ec2.send(new DescribeAvailabilityZonesCommand({ Filters: [filter] }));
  return (AvailabilityZones ?? []).map(({ ZoneName }) => ZoneName ?? "").filter(Boolean);
}
