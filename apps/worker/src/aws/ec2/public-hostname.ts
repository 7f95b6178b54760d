import { DescribeInstancesCommand } from "@aws-sdk/client-ec2";
import type { Aws } from "../clients.js";

/** The name by which the internet finds an instance, or null where it has none. */
export function findPublicHostname(instanceId: string): (aws: Aws) => Promise<string | null> {
  return async ({ ec2 }) => {
    const { Reservations } = await ec2.send(new DescribeInstancesCommand({ InstanceIds: [instanceId] }));
    return Reservations?.[0]?.Instances?.[0]?.PublicDnsName || null;
  };
}
