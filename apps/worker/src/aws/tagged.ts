import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeAddressesCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
} from "@aws-sdk/client-ec2";
import { DescribeDBClustersCommand, DescribeDBInstancesCommand } from "@aws-sdk/client-rds";
import type { Aws } from "./clients.js";

/** A thing in AWS and its tags. */
export interface Tagged {
  id: string;
  tags: Record<string, string>;
}

interface TaggedPage {
  things: Tagged[];
  /** Asks for the next page; absent on the last. */
  next?: string | undefined;
}

/** All things of one kind that carry an account's tag, in one region: a page is one call. */
export interface TaggedKind {
  /** As the ledger names it. */
  kind: string;
  list(aws: Pick<Aws, "ec2" | "rds" | "autoScaling">, accountId: string, next?: string): Promise<TaggedPage>;
}

const ACCOUNT = "gantry:account";
const PAGE = 500;
/** The most that the Query services give in a page. */
const SMALL_PAGE = 100;

const of = (accountId: string) => ({ Name: `tag:${ACCOUNT}`, Values: [accountId] });

/** The kinds that can be listed by what their tags say, those that cost the most first. What AWS is deleting is left out. */
export const taggedKinds: readonly TaggedKind[] = [
  {
    kind: "instance",
    async list({ ec2 }, accountId, NextToken) {
      const living = { Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped"] };
      const ask = { Filters: [of(accountId), living], MaxResults: PAGE, NextToken };
      const { Reservations = [], NextToken: next } = await ec2.send(new DescribeInstancesCommand(ask));
      return page(
        Reservations.flatMap(({ Instances = [] }) => Instances),
        ({ InstanceId, Tags }) => [InstanceId, Tags],
        next,
      );
    },
  },
  {
    kind: "db_instance",
    async list({ rds }, accountId, Marker) {
      const { DBInstances, Marker: next } = await rds.send(
        new DescribeDBInstancesCommand({ MaxRecords: SMALL_PAGE, Marker }),
      );
      const standing = DBInstances?.filter(({ DBInstanceStatus }) => DBInstanceStatus !== "deleting");
      const { things } = page(standing, ({ DBInstanceIdentifier, TagList }) => [DBInstanceIdentifier, TagList]);
      return { things: ofAccount(things, accountId), next };
    },
  },
  {
    kind: "db_cluster",
    async list({ rds }, accountId, Marker) {
      const { DBClusters, Marker: next } = await rds.send(
        new DescribeDBClustersCommand({ MaxRecords: SMALL_PAGE, Marker }),
      );
      const standing = DBClusters?.filter(({ Status }) => Status !== "deleting");
      const { things } = page(standing, ({ DBClusterIdentifier, TagList }) => [DBClusterIdentifier, TagList]);
      return { things: ofAccount(things, accountId), next };
    },
  },
  {
    kind: "auto_scaling_group",
    async list({ autoScaling }, accountId, NextToken) {
      const ask = { Filters: [of(accountId)], MaxRecords: SMALL_PAGE, NextToken };
      const { AutoScalingGroups, NextToken: next } = await autoScaling.send(new DescribeAutoScalingGroupsCommand(ask));
      const standing = AutoScalingGroups?.filter(({ Status }) => Status === undefined);
      return page(standing, ({ AutoScalingGroupName, Tags }) => [AutoScalingGroupName, Tags], next);
    },
  },
  {
    kind: "volume",
    async list({ ec2 }, accountId, NextToken) {
      const standing = { Name: "status", Values: ["creating", "available", "in-use", "error"] };
      const ask = { Filters: [of(accountId), standing], MaxResults: PAGE, NextToken };
      const { Volumes, NextToken: next } = await ec2.send(new DescribeVolumesCommand(ask));
      return page(Volumes, ({ VolumeId, Tags }) => [VolumeId, Tags], next);
    },
  },
  {
    kind: "snapshot",
    async list({ ec2 }, accountId, NextToken) {
      const ask = { OwnerIds: ["self"], Filters: [of(accountId)], MaxResults: PAGE, NextToken };
      const { Snapshots, NextToken: next } = await ec2.send(new DescribeSnapshotsCommand(ask));
      return page(Snapshots, ({ SnapshotId, Tags }) => [SnapshotId, Tags], next);
    },
  },
  {
    kind: "address",
    async list({ ec2 }, accountId) {
      const { Addresses } = await ec2.send(new DescribeAddressesCommand({ Filters: [of(accountId)] }));
      return page(Addresses, ({ AllocationId, Tags }) => [AllocationId, Tags]);
    },
  },
  {
    kind: "vpc",
    async list({ ec2 }, accountId, NextToken) {
      const ask = { Filters: [of(accountId)], MaxResults: PAGE, NextToken };
      const { Vpcs, NextToken: next } = await ec2.send(new DescribeVpcsCommand(ask));
      return page(Vpcs, ({ VpcId, Tags }) => [VpcId, Tags], next);
    },
  },
  {
    kind: "subnet",
    async list({ ec2 }, accountId, NextToken) {
      const ask = { Filters: [of(accountId)], MaxResults: PAGE, NextToken };
      const { Subnets, NextToken: next } = await ec2.send(new DescribeSubnetsCommand(ask));
      return page(Subnets, ({ SubnetId, Tags }) => [SubnetId, Tags], next);
    },
  },
  {
    kind: "security_group",
    async list({ ec2 }, accountId, NextToken) {
      const ask = { Filters: [of(accountId)], MaxResults: PAGE, NextToken };
      const { SecurityGroups, NextToken: next } = await ec2.send(new DescribeSecurityGroupsCommand(ask));
      return page(SecurityGroups, ({ GroupId, Tags }) => [GroupId, Tags], next);
    },
  },
];

type Tags = { Key?: string | undefined; Value?: string | undefined }[] | undefined;

function page<T>(
  found: T[] | undefined,
  part: (each: T) => [id: string | undefined, tags: Tags],
  next?: string,
): TaggedPage {
  const things = (found ?? []).map((each) => {
    const [id = "", tags = []] = part(each);
    return { id, tags: Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value])) };
  });
  // The last page of some services has an empty token.
  return { things, next: next || undefined };
}

// RDS has no filter by tags.
function ofAccount(things: Tagged[], accountId: string): Tagged[] {
  return things.filter(({ tags }) => tags[ACCOUNT] === accountId);
}
