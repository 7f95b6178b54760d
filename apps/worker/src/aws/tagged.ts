import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeAddressesCommand,
  DescribeInstancesCommand,
  DescribeSecurityGroupsCommand,
  DescribeSnapshotsCommand,
  DescribeSubnetsCommand,
  DescribeVolumesCommand,
  DescribeVpcsCommand,
  type Filter,
} from "@aws-sdk/client-ec2";
import {
  type DBCluster,
  type DBInstance,
  DescribeDBClustersCommand,
  DescribeDBInstancesCommand,
} from "@aws-sdk/client-rds";
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

type Clients = Pick<Aws, "ec2" | "rds" | "autoScaling">;

/** Things of one kind in one region. */
export interface TaggedKind {
  /** As the ledger names it. */
  kind: string;
  /** All that carry an account's tag and that AWS is not deleting: a page is one call. */
  list(aws: Clients, accountId: string, next?: string): Promise<TaggedPage>;
  /** The one with this id, whatever its tags, as long as AWS has it. */
  find(aws: Clients, id: string): Promise<Tagged | undefined>;
}

/** The tag that says whose a thing is. */
export const ACCOUNT_TAG = "gantry:account";
const PAGE = 500;
/** The most that the Query services give in a page. */
const SMALL_PAGE = 100;

const ofAccountTag = (accountId: string): Filter => ({ Name: `tag:${ACCOUNT_TAG}`, Values: [accountId] });

interface Ask {
  Filters: Filter[];
  MaxResults?: number;
  NextToken?: string | undefined;
}

/** A kind of EC2's: `idFilter` finds one by its id, `standing` leaves out what AWS is deleting. */
function ofEc2(
  kind: string,
  idFilter: string,
  ask: (ec2: Aws["ec2"], ask: Ask) => Promise<TaggedPage>,
  standing: Filter[] = [],
): TaggedKind {
  return {
    kind,
    list: ({ ec2 }, accountId, NextToken) => {
      return ask(ec2, { Filters: [ofAccountTag(accountId), ...standing], MaxResults: PAGE, NextToken });
    },
    find: async ({ ec2 }, id) => (await ask(ec2, { Filters: [{ Name: idFilter, Values: [id] }] })).things[0],
  };
}

/** The kinds that can be listed by what their tags say, those that cost the most first. */
export const taggedKinds: readonly TaggedKind[] = [
  ofEc2(
    "instance",
    "instance-id",
    async (ec2, ask) => {
      const { Reservations = [], NextToken: next } = await ec2.send(new DescribeInstancesCommand(ask));
      const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
      // AWS shows a terminated one for an hour more.
      const there = instances.filter(({ State }) => State?.Name !== "terminated");
      return page(there, ({ InstanceId, Tags }) => [InstanceId, Tags], next);
    },
    [{ Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped"] }],
  ),
  {
    kind: "db_instance",
    async list({ rds }, accountId, Marker) {
      const { DBInstances, Marker: next } = await rds.send(
        new DescribeDBInstancesCommand({ MaxRecords: SMALL_PAGE, Marker }),
      );
      const standing = DBInstances?.filter(({ DBInstanceStatus }) => DBInstanceStatus !== "deleting");
      return { things: ofAccount(dbInstances(standing), accountId), next };
    },
    async find({ rds }, id) {
      const ask = { Filters: [{ Name: "db-instance-id", Values: [id] }] };
      return dbInstances((await rds.send(new DescribeDBInstancesCommand(ask))).DBInstances)[0];
    },
  },
  {
    kind: "db_cluster",
    async list({ rds }, accountId, Marker) {
      const { DBClusters, Marker: next } = await rds.send(
        new DescribeDBClustersCommand({ MaxRecords: SMALL_PAGE, Marker }),
      );
      const standing = DBClusters?.filter(({ Status }) => Status !== "deleting");
      return { things: ofAccount(dbClusters(standing), accountId), next };
    },
    async find({ rds }, id) {
      const ask = { Filters: [{ Name: "db-cluster-id", Values: [id] }] };
      return dbClusters((await rds.send(new DescribeDBClustersCommand(ask))).DBClusters)[0];
    },
  },
  {
    kind: "auto_scaling_group",
    async list({ autoScaling }, accountId, NextToken) {
      const ask = { Filters: [ofAccountTag(accountId)], MaxRecords: SMALL_PAGE, NextToken };
      const { AutoScalingGroups, NextToken: next } = await autoScaling.send(new DescribeAutoScalingGroupsCommand(ask));
      const standing = AutoScalingGroups?.filter(({ Status }) => Status === undefined);
      return page(standing, ({ AutoScalingGroupName, Tags }) => [AutoScalingGroupName, Tags], next);
    },
    async find({ autoScaling }, id) {
      const ask = { AutoScalingGroupNames: [id] };
      const { AutoScalingGroups } = await autoScaling.send(new DescribeAutoScalingGroupsCommand(ask));
      return page(AutoScalingGroups, ({ AutoScalingGroupName, Tags }) => [AutoScalingGroupName, Tags]).things[0];
    },
  },
  ofEc2(
    "volume",
    "volume-id",
    async (ec2, ask) => {
      const { Volumes, NextToken: next } = await ec2.send(new DescribeVolumesCommand(ask));
      return page(Volumes, ({ VolumeId, Tags }) => [VolumeId, Tags], next);
    },
    [{ Name: "status", Values: ["creating", "available", "in-use", "error"] }],
  ),
  ofEc2("snapshot", "snapshot-id", async (ec2, ask) => {
    const own = new DescribeSnapshotsCommand({ ...ask, OwnerIds: ["self"] });
    const { Snapshots, NextToken: next } = await ec2.send(own);
    return page(Snapshots, ({ SnapshotId, Tags }) => [SnapshotId, Tags], next);
  }),
  // Addresses come on one page.
  ofEc2("address", "allocation-id", async (ec2, { Filters }) => {
    const { Addresses } = await ec2.send(new DescribeAddressesCommand({ Filters }));
    return page(Addresses, ({ AllocationId, Tags }) => [AllocationId, Tags]);
  }),
  ofEc2("vpc", "vpc-id", async (ec2, ask) => {
    const { Vpcs, NextToken: next } = await ec2.send(new DescribeVpcsCommand(ask));
    return page(Vpcs, ({ VpcId, Tags }) => [VpcId, Tags], next);
  }),
  ofEc2("subnet", "subnet-id", async (ec2, ask) => {
    const { Subnets, NextToken: next } = await ec2.send(new DescribeSubnetsCommand(ask));
    return page(Subnets, ({ SubnetId, Tags }) => [SubnetId, Tags], next);
  }),
  ofEc2("security_group", "group-id", async (ec2, ask) => {
    const { SecurityGroups, NextToken: next } = await ec2.send(new DescribeSecurityGroupsCommand(ask));
    return page(SecurityGroups, ({ GroupId, Tags }) => [GroupId, Tags], next);
  }),
];

const dbInstances = (found: DBInstance[] | undefined) =>
  page(found, ({ DBInstanceIdentifier, TagList }) => [DBInstanceIdentifier, TagList]).things;
const dbClusters = (found: DBCluster[] | undefined) =>
  page(found, ({ DBClusterIdentifier, TagList }) => [DBClusterIdentifier, TagList]).things;

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
  return things.filter(({ tags }) => tags[ACCOUNT_TAG] === accountId);
}
