import { isDeepStrictEqual } from "node:util";
import {
  CreateLaunchTemplateVersionCommand,
  CreateTagsCommand,
  DeleteTagsCommand,
  DescribeKeyPairsCommand,
  DescribeLaunchTemplateVersionsCommand,
  type ResponseLaunchTemplateData,
} from "@aws-sdk/client-ec2";
import {
  TagInstanceProfileCommand,
  TagPolicyCommand,
  TagRoleCommand,
  UntagInstanceProfileCommand,
  UntagPolicyCommand,
  UntagRoleCommand,
} from "@aws-sdk/client-iam";
import {
  AddTagsToResourceCommand,
  DescribeDBClusterSnapshotsCommand,
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
  DescribeDBSnapshotsCommand,
  DescribeDBSubnetGroupsCommand,
  RemoveTagsFromResourceCommand,
} from "@aws-sdk/client-rds";
import { changeGroupTags } from "./auto-scaling/group-tags.js";
import type { Aws } from "./clients.js";
import { requireId } from "./ec2/tags.js";
import { asWritten } from "./ec2/template-versions.js";

/** The tags to add to an object, and the keys of those to remove. */
export interface TagChange {
  set: Record<string, string>;
  removed: string[];
}

type TagList = { Key: string; Value: string }[];
type Change = { Tags: TagList; removed: string[] };
type ChangeOne = (aws: Aws, id: string, change: Change) => Promise<void>;

/** Changes tags of objects in one region, by their kinds in the ledger. May be repeated. */
export function changeTags(objects: readonly { kind: string; id: string }[], { set, removed }: TagChange) {
  return async (aws: Aws): Promise<void> => {
    const change = { Tags: Object.entries(set).map(([Key, Value]) => ({ Key, Value })), removed };
    const others = objects.filter(({ kind }) => kind in CHANGES);
    const inEc2 = objects.filter(({ kind }) => !(kind in CHANGES));
    const ec2Ids = await Promise.all(inEc2.map((object) => ec2Id(aws, object)));
    await Promise.all([
      changeInEc2(aws, ec2Ids, change),
      ...inEc2.map(({ kind, id }) => (kind === "launch_template" ? changeLaunches(aws, id, change) : undefined)),
      ...others.map(({ kind, id }) => CHANGES[kind]?.(aws, id, change)),
    ]);
  };
}

// A key pair's id in the ledger is its name, which the launch of an instance accepts.
async function ec2Id({ ec2 }: Aws, { kind, id }: { kind: string; id: string }): Promise<string> {
  if (kind !== "key_pair") return id;
  const { KeyPairs } = await ec2.send(new DescribeKeyPairsCommand({ KeyNames: [id] }));
  return requireId(KeyPairs?.[0]?.KeyPairId);
}

async function changeInEc2({ ec2 }: Aws, Resources: string[], { Tags, removed }: Change): Promise<void> {
  if (Resources.length === 0) return;
  if (removed.length > 0) await ec2.send(new DeleteTagsCommand({ Resources, Tags: removed.map((Key) => ({ Key })) }));
  if (Tags.length > 0) await ec2.send(new CreateTagsCommand({ Resources, Tags }));
}

/** Changes the tags of the instances and disks that a launch template is for, by a separate version of it. */
async function changeLaunches({ ec2 }: Aws, id: string, change: Change): Promise<void> {
  const query = new DescribeLaunchTemplateVersionsCommand({ LaunchTemplateId: id, Versions: ["$Latest"] });
  const data = (await ec2.send(query)).LaunchTemplateVersions?.[0]?.LaunchTemplateData ?? {};
  const specifications = (data.TagSpecifications ?? []).map(({ ResourceType, Tags = [] }) => {
    const replaced = new Set([...change.removed, ...change.Tags.map(({ Key }) => Key)]);
    return { ResourceType, Tags: [...Tags.filter(({ Key = "" }) => !replaced.has(Key)), ...change.Tags] };
  });
  if (isDeepStrictEqual(asMaps(specifications), asMaps(data.TagSpecifications ?? []))) return;
  const LaunchTemplateData = { ...asWritten(data), TagSpecifications: specifications };
  await ec2.send(new CreateLaunchTemplateVersionCommand({ LaunchTemplateId: id, LaunchTemplateData }));
}

function asMaps(specifications: NonNullable<ResponseLaunchTemplateData["TagSpecifications"]>) {
  return specifications.map(({ Tags = [] }) => new Map(Tags.map(({ Key, Value }) => [Key, Value])));
}

/** Changes the tags of an RDS object; RDS identifies objects by ARN. */
function inRds(arnOf: (rds: Aws["rds"], id: string) => Promise<string | undefined>): ChangeOne {
  return async ({ rds }, id, { Tags, removed }) => {
    const ResourceName = requireId(await arnOf(rds, id));
    if (removed.length > 0) await rds.send(new RemoveTagsFromResourceCommand({ ResourceName, TagKeys: removed }));
    if (Tags.length > 0) await rds.send(new AddTagsToResourceCommand({ ResourceName, Tags }));
  };
}

/** Changes the tags of an object of IAM. */
function inIam(
  untag: (iam: Aws["iam"], id: string, TagKeys: string[]) => Promise<unknown>,
  tag: (iam: Aws["iam"], id: string, Tags: TagList) => Promise<unknown>,
): ChangeOne {
  return async ({ iam }, id, { Tags, removed }) => {
    if (removed.length > 0) await untag(iam, id, removed);
    if (Tags.length > 0) await tag(iam, id, Tags);
  };
}

/** By the kinds in the ledger; all others are EC2's, which changes many objects with one call. */
const CHANGES: Readonly<Record<string, ChangeOne>> = {
  auto_scaling_group: (aws, name, { Tags, removed }) => changeGroupTags(name, { Tags, removed })(aws),
  role: inIam(
    (iam, RoleName, TagKeys) => iam.send(new UntagRoleCommand({ RoleName, TagKeys })),
    (iam, RoleName, Tags) => iam.send(new TagRoleCommand({ RoleName, Tags })),
  ),
  policy: inIam(
    (iam, PolicyArn, TagKeys) => iam.send(new UntagPolicyCommand({ PolicyArn, TagKeys })),
    (iam, PolicyArn, Tags) => iam.send(new TagPolicyCommand({ PolicyArn, Tags })),
  ),
  instance_profile: inIam(
    (iam, InstanceProfileName, TagKeys) => iam.send(new UntagInstanceProfileCommand({ InstanceProfileName, TagKeys })),
    (iam, InstanceProfileName, Tags) => iam.send(new TagInstanceProfileCommand({ InstanceProfileName, Tags })),
  ),
  db_instance: inRds(async (rds, DBInstanceIdentifier) => {
    return (await rds.send(new DescribeDBInstancesCommand({ DBInstanceIdentifier }))).DBInstances?.[0]?.DBInstanceArn;
  }),
  db_cluster: inRds(async (rds, DBClusterIdentifier) => {
    return (await rds.send(new DescribeDBClustersCommand({ DBClusterIdentifier }))).DBClusters?.[0]?.DBClusterArn;
  }),
  db_snapshot: inRds(async (rds, DBSnapshotIdentifier) => {
    return (await rds.send(new DescribeDBSnapshotsCommand({ DBSnapshotIdentifier }))).DBSnapshots?.[0]?.DBSnapshotArn;
  }),
  db_cluster_snapshot: inRds(async (rds, DBClusterSnapshotIdentifier) => {
    const query = new DescribeDBClusterSnapshotsCommand({ DBClusterSnapshotIdentifier });
    return (await rds.send(query)).DBClusterSnapshots?.[0]?.DBClusterSnapshotArn;
  }),
  db_subnet_group: inRds(async (rds, DBSubnetGroupName) => {
    const query = new DescribeDBSubnetGroupsCommand({ DBSubnetGroupName });
    return (await rds.send(query)).DBSubnetGroups?.[0]?.DBSubnetGroupArn;
  }),
};
