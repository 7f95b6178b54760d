import type { Caller, Emulator } from "./emulator.js";
import { filter } from "./validations/validation.js";
import { all, text, type Xml } from "./xml.js";

interface Listing {
  service: string;
  params: Record<string, string>;
  path: string[];
  idField: string;
  /** Whether to ask for the account's own only; the emulator takes half a second to list those of public images. */
  isFilteredByOwner?: boolean;
  /** Whether it is the account's own doing; all are when left out. */
  isOwn?: (item: Xml, context: Context) => boolean;
  /** Where its ARN stands, for those whose tags RDS lists apart. */
  arnField?: string;
}

// What the emulator gives in pages of 100 and 15; it knows no most.
const PAGED: ReadonlySet<string> = new Set(["DescribeInstances", "DescribeLaunchTemplates"]);

interface Context {
  accountId: string;
  defaultVpcs: string[];
}

const outsideDefaultVpc = (item: Xml, { defaultVpcs }: Context) => !defaultVpcs.includes(text(item, "vpcId"));

const isManual = (item: Xml) => text(item, "SnapshotType") === "manual";

const LISTINGS = {
  vpc: shelf("ec2", "DescribeVpcs", ["vpcSet", "item"], "vpcId", outsideDefaultVpc),
  subnet: shelf("ec2", "DescribeSubnets", ["subnetSet", "item"], "subnetId", outsideDefaultVpc),
  internet_gateway: shelf("ec2", "DescribeInternetGateways", ["internetGatewaySet", "item"], "internetGatewayId"),
  route_table: shelf(
    "ec2",
    "DescribeRouteTables",
    ["routeTableSet", "item"],
    "routeTableId",
    (item) => !all(item, "associationSet", "item", "main").includes("true"),
  ),
  security_group: shelf(
    "ec2",
    "DescribeSecurityGroups",
    ["securityGroupInfo", "item"],
    "groupId",
    (item) => text(item, "groupName") !== "default",
  ),
  security_group_rule: shelf(
    "ec2",
    "DescribeSecurityGroupRules",
    ["securityGroupRuleSet", "item"],
    "securityGroupRuleId",
    (item) => text(item, "isEgress") === "false",
  ),
  key_pair: shelf("ec2", "DescribeKeyPairs", ["keySet", "item"], "keyName"),
  instance: {
    ...shelf(
      "ec2",
      "DescribeInstances",
      ["reservationSet", "item", "instancesSet", "item"],
      "instanceId",
      (item) => text(item, "instanceState", "name") !== "terminated",
    ),
    // The emulator shows a hundred unless told how many.
    params: { Action: "DescribeInstances", MaxResults: "100000" },
  },
  volume: shelf("ec2", "DescribeVolumes", ["volumeSet", "item"], "volumeId"),
  address: shelf("ec2", "DescribeAddresses", ["addressesSet", "item"], "allocationId"),
  snapshot: { ...shelf("ec2", "DescribeSnapshots", ["snapshotSet", "item"], "snapshotId"), isFilteredByOwner: true },
  launch_template: shelf("ec2", "DescribeLaunchTemplates", ["launchTemplates", "item"], "launchTemplateId"),
  auto_scaling_group: shelf(
    "autoscaling",
    "DescribeAutoScalingGroups",
    ["AutoScalingGroups", "member"],
    "AutoScalingGroupName",
  ),
  db_instance: shelf("rds", "DescribeDBInstances", ["DBInstances", "DBInstance"], "DBInstanceIdentifier"),
  db_cluster: shelf("rds", "DescribeDBClusters", ["DBClusters", "DBCluster"], "DBClusterIdentifier"),
  db_subnet_group: {
    ...shelf("rds", "DescribeDBSubnetGroups", ["DBSubnetGroups", "DBSubnetGroup"], "DBSubnetGroupName"),
    arnField: "DBSubnetGroupArn",
  },
  db_parameter_group: {
    ...shelf("rds", "DescribeDBParameterGroups", ["DBParameterGroups", "DBParameterGroup"], "DBParameterGroupName"),
    arnField: "DBParameterGroupArn",
  },
  db_snapshot: shelf("rds", "DescribeDBSnapshots", ["DBSnapshots", "DBSnapshot"], "DBSnapshotIdentifier", isManual),
  db_cluster_snapshot: shelf(
    "rds",
    "DescribeDBClusterSnapshots",
    ["DBClusterSnapshots", "DBClusterSnapshot"],
    "DBClusterSnapshotIdentifier",
    isManual,
  ),
  role: shelf(
    "iam",
    "ListRoles",
    ["Roles", "member"],
    "RoleName",
    (item) => !text(item, "Path").startsWith("/aws-service-role/"),
  ),
  instance_profile: shelf("iam", "ListInstanceProfiles", ["InstanceProfiles", "member"], "InstanceProfileName"),
  policy: {
    service: "iam",
    params: { Action: "ListPolicies", Scope: "Local" },
    path: ["Policies", "member"],
    idField: "PolicyName",
  },
} satisfies Record<string, Listing>;

/** A kind of thing that can be left behind in an AWS account. */
export type ObjectKind = keyof typeof LISTINGS;

export interface FoundObject {
  id: string;
  tags: Record<string, string>;
}

export type Inventory = Record<ObjectKind, FoundObject[]>;

export interface InventoryQuery {
  accessKeyId: string;
  /** `us-east-1` alone when left out. */
  regions?: string[];
  /** All when left out; a kind not asked for is empty. */
  kinds?: ObjectKind[];
}

const KINDS = Object.keys(LISTINGS) as ObjectKind[];

/** What exists in the account of a key, without what every AWS account has from the start; IAM's things are found once. */
export async function inventory(emulator: Emulator, question: InventoryQuery): Promise<Inventory> {
  const { accessKeyId, regions = ["us-east-1"], kinds = KINDS } = question;
  const accountId = await emulator.accountIdOf(accessKeyId);
  const parts = await Promise.all(
    regions.map(async (region, index) => {
      const caller = { accessKeyId, region };
      const context = { accountId, defaultVpcs: await defaultVpcs(emulator, caller) };
      const wanted = kinds.filter((kind) => index === 0 || LISTINGS[kind].service !== "iam");
      return Promise.all(
        wanted.map(async (kind) => ({ kind, found: await listObjects(emulator, caller, LISTINGS[kind], context) })),
      );
    }),
  );
  const empty = Object.fromEntries(KINDS.map((kind) => [kind, [] as FoundObject[]])) as Inventory;
  for (const { kind, found } of parts.flat()) empty[kind].push(...found);
  return empty;
}

async function listObjects(
  emulator: Emulator,
  caller: Caller,
  listing: Listing,
  context: Context,
): Promise<FoundObject[]> {
  const { service, params, path, idField, isOwn, isFilteredByOwner, arnField } = listing;
  const owner = isFilteredByOwner ? filter("owner-id", context.accountId) : {};
  const answer = await emulator.read(caller, service, { ...params, ...owner });
  const items = all(answer, ...path).filter((item) => !isOwn || isOwn(item, context));
  const listed = (item: Xml) =>
    arnField
      ? emulator.read(caller, service, { Action: "ListTagsForResource", ResourceName: text(item, arnField) })
      : item;
  return Promise.all(items.map(async (item) => ({ id: text(item, idField), tags: tagsOf(await listed(item)) })));
}

async function defaultVpcs(emulator: Emulator, caller: Caller): Promise<string[]> {
  const found = await emulator.read(caller, "ec2", { Action: "DescribeVpcs", ...filter("is-default", "true") });
  return all(found, "vpcSet", "item").map((vpc) => text(vpc, "vpcId"));
}

/** EC2 writes tags in lower case, the Query services in upper case. */
function tagsOf(item: Xml): Record<string, string> {
  const ec2 = all(item, "tagSet", "item").map((tag) => [text(tag, "key"), text(tag, "value")]);
  const lists = [...all(item, "Tags", "member"), ...all(item, "TagList", "Tag"), ...all(item, "Tags", "Tag")];
  return Object.fromEntries([...ec2, ...lists.map((tag) => [text(tag, "Key"), text(tag, "Value")])]);
}

function shelf(service: string, action: string, path: string[], idField: string, isOwn?: Listing["isOwn"]): Listing {
  const all = PAGED.has(action) ? { MaxResults: "100000" } : {};
  return { service, params: { Action: action, ...all }, path, idField, ...(isOwn && { isOwn }) };
}
