import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeInstancesCommand,
  DescribeInternetGatewaysCommand,
  DescribeKeyPairsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeRouteTablesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
} from "@aws-sdk/client-ec2";
import { DescribeDBInstancesCommand, DescribeDBSubnetGroupsCommand } from "@aws-sdk/client-rds";
import { ACCOUNT_TAG } from "@gantry/worker";
import { masker } from "./mask.js";
import type { AwsObject, Clients } from "./tagged-aws.js";

/**
 * Writes what AWS describes of a Gantry account's objects into one JSON file a call, masked. The SDK has parsed these
 * answers: they hold AWS's fields and values, not its XML, and none of its refusals.
 *
 * @returns the names of the files
 */
export async function recordFixtures(
  { ec2, rds, autoScaling }: Clients,
  { account, objects, folder }: { account: string; objects: AwsObject[]; folder: string },
): Promise<string[]> {
  const Filters = [{ Name: `tag:${ACCOUNT_TAG}`, Values: [account] }];
  const ids = (kind: string) => objects.filter((object) => object.kind === kind).map(({ id }) => id);
  const [databases, subnetGroups, groups] = [ids("db_instance"), ids("db_subnet_group"), ids("auto_scaling_group")];
  const answers: Record<string, Promise<unknown>> = {
    DescribeInstances: ec2.send(new DescribeInstancesCommand({ Filters })),
    DescribeVolumes: ec2.send(new DescribeVolumesCommand({ Filters })),
    DescribeSnapshots: ec2.send(new DescribeSnapshotsCommand({ Filters, OwnerIds: ["self"] })),
    DescribeVpcs: ec2.send(new DescribeVpcsCommand({ Filters })),
    DescribeSubnets: ec2.send(new DescribeSubnetsCommand({ Filters })),
    DescribeRouteTables: ec2.send(new DescribeRouteTablesCommand({ Filters })),
    DescribeInternetGateways: ec2.send(new DescribeInternetGatewaysCommand({ Filters })),
    DescribeSecurityGroups: ec2.send(new DescribeSecurityGroupsCommand({ Filters })),
    DescribeKeyPairs: ec2.send(new DescribeKeyPairsCommand({ Filters })),
    DescribeLaunchTemplates: ec2.send(new DescribeLaunchTemplatesCommand({ Filters })),
    DescribeAutoScalingGroups: autoScaling.send(
      new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: groups }),
    ),
    ...oneByOne("DescribeDBInstances", databases, (DBInstanceIdentifier) =>
      rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier })),
    ),
    ...oneByOne("DescribeDBSubnetGroups", subnetGroups, (DBSubnetGroupName) =>
      rds.send(new DescribeDBSubnetGroupsCommand({ DBSubnetGroupName })),
    ),
  };
  mkdirSync(folder, { recursive: true });
  const mask = masker();
  const files: string[] = [];
  for (const [name, answer] of Object.entries(answers)) {
    const { $metadata: _call, ...fields } = (await answer) as { $metadata: unknown };
    files.push(`${name}.json`);
    writeFileSync(join(folder, `${name}.json`), `${JSON.stringify(mask(fields), null, 2)}\n`);
  }
  return files;
}

function oneByOne(name: string, ids: string[], describe: (id: string) => Promise<unknown>) {
  return Object.fromEntries(ids.map((id, i) => [i === 0 ? name : `${name}-${i + 1}`, describe(id)]));
}
