import { DescribeVpcsCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** The region's default VPC, or undefined where the account has none. Servers without a network live there. */
export async function findDefaultVpc({ ec2 }: Aws): Promise<string | undefined> {
  const { Vpcs } = await ec2.send(new DescribeVpcsCommand({ Filters: [{ Name: "is-default", Values: ["true"] }] }));
  return Vpcs?.[0]?.VpcId;
}
