import { DescribeSubnetsCommand, DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";
import { idsIn } from "./tags.js";

/** The region's default VPC, or undefined where the account has none. Servers without a network live there. */
export async function findDefaultVpc({ ec2 }: Aws): Promise<string | undefined> {
  const { Vpcs } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "is-default", Values: ["true"] }] }));
  return Vpcs?.[0]?.VpcId;
}

/** The subnets that AWS itself made in a default VPC: one in each zone. */
export function defaultSubnets(vpcId: string): (aws: Aws) => Promise<string[]> {
  return async ({ ec2 }) => {
    const ofVpc = { Name: "vpc-id", Values: [vpcId] };
    const ofAws = { Name: "default-for-az", Values: ["true"] };
    const { Subnets } = await ec2.send(new DescribeSubnetsCommand({ Filters: [ofVpc, ofAws] }));
    return idsIn(Subnets?.map(({ SubnetId }) => SubnetId));
  };
}
