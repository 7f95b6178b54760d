import { DescribeSubnetsCommand, DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";
import { definedIds } from "./tags.js";

/** The region's default VPC, or undefined if the account has none. It holds the servers without a network. */
export async function findDefaultVpc({ ec2 }: Aws): Promise<string | undefined> {
  const { Vpcs } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "is-default", Values: ["true"] }] }));
  return Vpcs?.[0]?.VpcId;
}

/** The default subnets of the region, one in each zone of its default VPC; or those of one VPC or of some zones. */
export function defaultSubnets(
  of: { vpcId?: string; zones?: string[] | undefined } = {},
): (aws: Aws) => Promise<string[]> {
  const filters = { "default-for-az": ["true"], "vpc-id": of.vpcId && [of.vpcId], "availability-zone": of.zones };
  const Filters = Object.entries(filters).flatMap(([Name, Values]) => (Values ? [{ Name, Values }] : []));
  return async ({ ec2 }) => {
    if (of.zones?.length === 0) return [];
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters }));
    return definedIds(Subnets?.map(({ SubnetId }) => SubnetId)).sort();
  };
}
