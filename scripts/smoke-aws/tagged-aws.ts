import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import {
  DescribeInternetGatewaysCommand,
  DescribeKeyPairsCommand,
  DescribeLaunchTemplatesCommand,
  DescribeNatGatewaysCommand,
  DescribeRouteTablesCommand,
  EC2Client,
} from "@aws-sdk/client-ec2";
import { GetInstanceProfileCommand, GetPolicyCommand, GetRoleCommand, IAMClient } from "@aws-sdk/client-iam";
import {
  DescribeDBSnapshotsCommand,
  DescribeDBSubnetGroupsCommand,
  ListTagsForResourceCommand,
  RDSClient,
} from "@aws-sdk/client-rds";
import { GetCallerIdentityCommand, STSClient } from "@aws-sdk/client-sts";
import { ACCOUNT_TAG, type TaggedObject, taggedKinds } from "@gantry/worker";

export interface Clients {
  ec2: EC2Client;
  rds: RDSClient;
  autoScaling: AutoScalingClient;
  iam: IAMClient;
  sts: STSClient;
}

export interface AwsObject extends TaggedObject {
  /** The kind's name in Gantry's ledger. */
  kind: string;
}

/** The tag that names the Request that created an object. */
export const REQUEST_TAG = "gantry:request";

type Tags = { Key?: string | undefined; Value?: string | undefined }[] | undefined;

/** Clients with the credentials of the environment. */
export function openClients(region: string, endpoint: string | undefined): Clients {
  const options = { region, ...(endpoint && { endpoint }) };
  return {
    ec2: new EC2Client(options),
    rds: new RDSClient(options),
    autoScaling: new AutoScalingClient(options),
    iam: new IAMClient(options),
    sts: new STSClient(options),
  };
}

/** The number of the AWS account to which the credentials belong. */
export async function awsAccountOf({ sts }: Clients): Promise<string> {
  return (await sts.send(new GetCallerIdentityCommand({}))).Account ?? "";
}

/** Every object in the region that has the tag of a Gantry account and that AWS is not deleting. */
export async function findTagged(clients: Clients, account: string): Promise<AwsObject[]> {
  const lists = await Promise.all([
    ...taggedKinds.map(({ kind, list }) =>
      allPages(async (next) => {
        const page = await list(clients, account, next);
        return { found: page.objects.map((object) => ({ ...object, kind })), next: page.next };
      }),
    ),
    findOtherEc2(clients, account),
    findDatabaseSnapshots(clients),
    findSubnetGroups(clients),
  ]);
  return lists.flat().filter(({ tags }) => tags[ACCOUNT_TAG] === account);
}

/** The role of this name with its policy and its instance profile. IAM has no regions and no search by tags. */
export async function findRole({ iam }: Clients, name: string, awsAccount: string): Promise<AwsObject[]> {
  const policy = `arn:aws:iam::${awsAccount}:policy/${name}`;
  const found = await Promise.all([
    exists("instance_profile", name, iam.send(new GetInstanceProfileCommand({ InstanceProfileName: name }))),
    exists("role", name, iam.send(new GetRoleCommand({ RoleName: name }))),
    exists("policy", policy, iam.send(new GetPolicyCommand({ PolicyArn: policy }))),
  ]);
  return found.flat();
}

async function exists(kind: string, id: string, reading: Promise<unknown>): Promise<AwsObject[]> {
  try {
    await reading;
    return [{ kind, id, tags: {} }];
  } catch (error) {
    if (error instanceof Error && error.name.startsWith("NoSuchEntity")) return [];
    throw error;
  }
}

async function allPages<T>(read: (next?: string) => Promise<{ found: T[]; next?: string | undefined }>): Promise<T[]> {
  const all: T[] = [];
  let next: string | undefined;
  do {
    const page = await read(next);
    all.push(...page.found);
    next = page.next;
  } while (next);
  return all;
}

/** Objects of EC2 beside those of `taggedKinds`. Rules and interfaces end with their group and their instance. */
async function findOtherEc2({ ec2 }: Clients, account: string): Promise<AwsObject[]> {
  const Filters = [{ Name: `tag:${ACCOUNT_TAG}`, Values: [account] }];
  const [gateways, tables, templates, keys, nats] = await Promise.all([
    ec2.send(new DescribeInternetGatewaysCommand({ Filters })),
    ec2.send(new DescribeRouteTablesCommand({ Filters })),
    ec2.send(new DescribeLaunchTemplatesCommand({ Filters })),
    ec2.send(new DescribeKeyPairsCommand({ Filters })),
    ec2.send(new DescribeNatGatewaysCommand({ Filter: Filters })),
  ]);
  // AWS shows a deleted gateway for another hour.
  const existingNats = (nats.NatGateways ?? []).filter(({ State }) => State !== "deleted" && State !== "deleting");
  return [
    ...(gateways.InternetGateways ?? []).map((it) => objectOf("internet_gateway", it.InternetGatewayId, it.Tags)),
    ...(tables.RouteTables ?? []).map((it) => objectOf("route_table", it.RouteTableId, it.Tags)),
    ...(templates.LaunchTemplates ?? []).map((it) => objectOf("launch_template", it.LaunchTemplateId, it.Tags)),
    ...(keys.KeyPairs ?? []).map((it) => objectOf("key_pair", it.KeyPairId, it.Tags)),
    ...existingNats.map((it) => objectOf("nat_gateway", it.NatGatewayId, it.Tags)),
  ];
}

async function findDatabaseSnapshots({ rds }: Clients): Promise<AwsObject[]> {
  return allPages(async (Marker) => {
    const page = await rds.send(new DescribeDBSnapshotsCommand({ SnapshotType: "manual", Marker }));
    const found = (page.DBSnapshots ?? []).map(({ DBSnapshotIdentifier, TagList }) => {
      return objectOf("db_snapshot", DBSnapshotIdentifier, TagList);
    });
    return { found, next: page.Marker || undefined };
  });
}

async function findSubnetGroups({ rds }: Clients): Promise<AwsObject[]> {
  return allPages(async (Marker) => {
    const page = await rds.send(new DescribeDBSubnetGroupsCommand({ Marker }));
    const found = await Promise.all(
      (page.DBSubnetGroups ?? []).map(async ({ DBSubnetGroupName, DBSubnetGroupArn: ResourceName }) => {
        const { TagList } = await rds.send(new ListTagsForResourceCommand({ ResourceName }));
        return objectOf("db_subnet_group", DBSubnetGroupName, TagList);
      }),
    );
    return { found, next: page.Marker || undefined };
  });
}

function objectOf(kind: string, id = "", tags: Tags = []): AwsObject {
  return { kind, id, tags: Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value])) };
}
