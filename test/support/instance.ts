import { RunInstancesCommand } from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { REGION, type TestAccount, ZONES } from "./account.js";

/** An image that the emulator always has. */
const IMAGE = "ami-03cf127a";

/** Launches an instance for the account in its first zone, and returns its id. Its root volume has no tags. */
export async function launchInstance({ accountId, awsAccount }: TestAccount): Promise<string> {
  const { ec2 } = awsOpener(10)(REGION, awsAccount);
  const { Instances } = await ec2.send(
    new RunInstancesCommand({
      ImageId: IMAGE,
      InstanceType: "t3.micro",
      MinCount: 1,
      MaxCount: 1,
      Placement: { AvailabilityZone: ZONES[0] },
      TagSpecifications: [{ ResourceType: "instance", Tags: [{ Key: "gantry:account", Value: accountId }] }],
    }),
  );
  return Instances?.[0]?.InstanceId ?? "";
}
