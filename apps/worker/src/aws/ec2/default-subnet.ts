import { DescribeSubnetsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** The subnet of a zone in the region's default VPC, or undefined where there is none. */
export function findDefaultSubnet(zone: string): (aws: Aws) => Promise<string | undefined> {
  return async ({ ec2 }) => {
    const filters = { "default-for-az": "true", "availability-zone": zone };
    const Filters = Object.entries(filters).map(([Name, value]) => ({ Name, Values: [value] }));
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters }));
    return Subnets?.[0]?.SubnetId;
  };
}
