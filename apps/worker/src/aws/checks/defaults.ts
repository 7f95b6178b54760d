import { DescribeInstanceTypeOfferingsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** The flavor whose offer a check looks for: that of a server without another one. */
export const DEFAULT_FLAVOR = "t3.medium" as const;

/** The zones of the region in which AWS offers that flavor. */
export async function zonesWithDefault({ ec2 }: Aws): Promise<string[]> {
  const Filters = [{ Name: "instance-type", Values: [DEFAULT_FLAVOR] }];
  const describe = new DescribeInstanceTypeOfferingsCommand({ LocationType: "availability-zone", Filters });
  const { InstanceTypeOfferings = [] } = await ec2.send(describe);
  return InstanceTypeOfferings.flatMap(({ Location }) => Location ?? []).sort();
}
