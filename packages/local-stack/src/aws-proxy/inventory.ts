import type { Caller, Emulator } from "./emulator.js";
import { filter } from "./validations/validation.js";
import { all, text, type Xml } from "./xml.js";

/** The call that lists one kind of object, and the fields to read in its response. */
interface Listing {
  service: string;
  params: Record<string, string>;
  path: string[];
  idField: string;
  /** Restricts the call to the account's own objects: the emulator takes half a second to list those of public images. */
  isFilteredByOwner?: boolean;
  /** Excludes objects that every AWS account has; includes all by default. */
  isOwn?: (item: Xml, context: Context) => boolean;
  /** The field of the ARN, if RDS lists the tags in another call. */
  arnField?: string;
}

interface Context {
  accountId: string;
  defaultVpcs: string[];
}

const outsideDefaultVpc = (item: Xml, { defaultVpcs }: Context) => !defaultVpcs.includes(text(item, "vpcId"));

const isNotDefault = (item: Xml) => !text(item, "DBParameterGroupName").startsWith("default.");

const LISTINGS = {
  vpc: listing("ec2", "DescribeVpcs", ["vpcSet", "item"], "vpcId", outsideDefaultVpc),
  subnet: listing("ec2", "DescribeSubnets", ["subnetSet", "item"], "subnetId", outsideDefaultVpc),
  internet_gateway: listing("ec2", "DescribeInternetGateways", ["internetGatewaySet", "item"], "internetGatewayId"),
  nat_gateway: listing(
    "ec2",
    "DescribeNatGateways",
    ["natGatewaySet", "item"],
    "natGatewayId",
    (item) => text(item, "state") !== "deleted",
  ),
  route_table: listing(
    "ec2",
    "DescribeRouteTables",
    ["routeTableSet", "item"],
    "routeTableId",
    (item) => !all(item, "associationSet", "item", "main").includes("true"),
  ),
  security_group: listing(
    "ec2",
    "DescribeSecurityGroups",
    ["securityGroupInfo", "item"],
    "groupId",
    (item) => text(item, "groupName") !== "default",
  ),
  security_group_rule: listing(
    "ec2",
    "DescribeSecurityGroupRules",
    ["securityGroupRuleSet", "item"],
    "securityGroupRuleId",
    (item) => text(item, "isEgress") === "false",
  ),
  key_pair: listing("ec2", "DescribeKeyPairs", ["keySet", "item"], "keyName"),
  instance: listing(
    "ec2",
    "DescribeInstances",
    ["reservationSet", "item", "instancesSet", "item"],
    "instanceId",
    (item) => text(item, "instanceState", "name") !== "terminated",
  ),
  volume: listing("ec2", "DescribeVolumes", ["volumeSet", "item"], "volumeId"),
  address: listing("ec2", "DescribeAddresses", ["addressesSet", "item"], "allocationId"),
  snapshot: { ...listing("ec2", "DescribeSnapshots", ["snapshotSet", "item"], "snapshotId"), isFilteredByOwner: true },
  image: {
    ...listing("ec2", "DescribeImages", ["imagesSet", "item"], "imageId"),
    params: { Action: "DescribeImages", "Owner.1": "self" },
  },
  launch_template: {
    ...listing("ec2", "DescribeLaunchTemplates", ["launchTemplates", "item"], "launchTemplateId"),
    // Without MaxResults, moto cuts the list off at 15 and names no next page.
    params: { Action: "DescribeLaunchTemplates", MaxResults: "200" },
  },
  auto_scaling_group: listing(
    "autoscaling",
    "DescribeAutoScalingGroups",
    ["AutoScalingGroups", "member"],
    "AutoScalingGroupName",
  ),
  db_instance: listing("rds", "DescribeDBInstances", ["DBInstances", "DBInstance"], "DBInstanceIdentifier"),
  db_cluster: listing("rds", "DescribeDBClusters", ["DBClusters", "DBCluster"], "DBClusterIdentifier"),
  db_subnet_group: {
    ...listing("rds", "DescribeDBSubnetGroups", ["DBSubnetGroups", "DBSubnetGroup"], "DBSubnetGroupName"),
    arnField: "DBSubnetGroupArn",
  },
  db_parameter_group: {
    ...listing(
      "rds",
      "DescribeDBParameterGroups",
      ["DBParameterGroups", "DBParameterGroup"],
      "DBParameterGroupName",
      isNotDefault,
    ),
    arnField: "DBParameterGroupArn",
  },
  db_snapshot: {
    ...listing("rds", "DescribeDBSnapshots", ["DBSnapshots", "DBSnapshot"], "DBSnapshotIdentifier"),
    params: { Action: "DescribeDBSnapshots", SnapshotType: "manual" },
  },
  db_cluster_snapshot: {
    ...listing(
      "rds",
      "DescribeDBClusterSnapshots",
      ["DBClusterSnapshots", "DBClusterSnapshot"],
      "DBClusterSnapshotIdentifier",
    ),
    params: { Action: "DescribeDBClusterSnapshots", SnapshotType: "manual" },
  },
  role: listing(
    "iam",
    "ListRoles",
    ["Roles", "member"],
    "RoleName",
    (item) => !text(item, "Path").startsWith("/aws-service-role/"),
  ),
  instance_profile: listing("iam", "ListInstanceProfiles", ["InstanceProfiles", "member"], "InstanceProfileName"),
  policy: {
    service: "iam",
    params: { Action: "ListPolicies", Scope: "Local" },
    path: ["Policies", "member"],
    idField: "PolicyName",
  },
} satisfies Record<string, Listing>;

/** A kind of object that can remain in an AWS account. */
export type ObjectKind = keyof typeof LISTINGS;

export interface FoundObject {
  id: string;
  tags: Record<string, string>;
}

export type Inventory = Record<ObjectKind, FoundObject[]>;

export interface InventoryQuery {
  accessKeyId: string;
  /** Only `us-east-1` by default. */
  regions?: string[];
  /** All by default; the list of any other kind is empty. */
  kinds?: ObjectKind[];
}

const KINDS = Object.keys(LISTINGS) as ObjectKind[];

/** Lists the objects in a key's account, without those that every new AWS account has; IAM's objects appear once. */
export async function inventory(emulator: Emulator, query: InventoryQuery): Promise<Inventory> {
  const { accessKeyId, regions = ["us-east-1"], kinds = KINDS } = query;
  const accountId = await emulator.accountIdOf(accessKeyId);
  const objects = await Promise.all(
    regions.map(async (region, index) => {
      const caller = { accessKeyId, region };
      const context = { accountId, defaultVpcs: await defaultVpcs(emulator, caller) };
      const wanted = kinds.filter((kind) => index === 0 || LISTINGS[kind].service !== "iam");
      return Promise.all(
        wanted.map(async (kind) => ({ kind, found: await listObjects(emulator, caller, LISTINGS[kind], context) })),
      );
    }),
  );
  const result = Object.fromEntries(KINDS.map((kind) => [kind, [] as FoundObject[]])) as Inventory;
  for (const { kind, found } of objects.flat()) result[kind].push(...found);
  return result;
}

async function listObjects(
  emulator: Emulator,
  caller: Caller,
  kind: Listing,
  context: Context,
): Promise<FoundObject[]> {
  const { service, params, path, idField, isOwn, isFilteredByOwner, arnField } = kind;
  const owner = isFilteredByOwner ? filter("owner-id", context.accountId) : {};
  const found = await emulator.read(caller, service, { ...params, ...owner });
  const items = all(found, ...path).filter((item) => !isOwn || isOwn(item, context));
  const withTags = (item: Xml) =>
    arnField
      ? emulator.read(caller, service, { Action: "ListTagsForResource", ResourceName: text(item, arnField) })
      : item;
  return Promise.all(items.map(async (item) => ({ id: text(item, idField), tags: tagsOf(await withTags(item)) })));
}

async function defaultVpcs(emulator: Emulator, caller: Caller): Promise<string[]> {
  const found = await emulator.read(caller, "ec2", { Action: "DescribeVpcs", ...filter("is-default", "true") });
  return all(found, "vpcSet", "item").map((vpc) => text(vpc, "vpcId"));
}

/** EC2 names tag fields in lower case, the Query services in upper case. */
function tagsOf(item: Xml): Record<string, string> {
  const ec2 = all(item, "tagSet", "item").map((tag) => [text(tag, "key"), text(tag, "value")]);
  const lists = [...all(item, "Tags", "member"), ...all(item, "TagList", "Tag"), ...all(item, "Tags", "Tag")];
  return Object.fromEntries([...ec2, ...lists.map((tag) => [text(tag, "Key"), text(tag, "Value")])]);
}

function listing(service: string, action: string, path: string[], idField: string, isOwn?: Listing["isOwn"]): Listing {
  return { service, params: { Action: action }, path, idField, ...(isOwn && { isOwn }) };
}
