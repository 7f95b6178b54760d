import { DescribeAutoScalingGroupsCommand } from "@aws-sdk/client-auto-scaling";
import {
  DescribeAddressesCommand,
  DescribeImagesCommand,
  DescribeInstancesCommand,
  DescribeNatGatewaysCommand,
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

/** An object in AWS with its tags. */
export interface TaggedObject {
  id: string;
  tags: Record<string, string>;
}

interface TaggedPage {
  objects: TaggedObject[];
  /** The token of the next page; absent on the last. */
  next?: string | undefined;
}

type Clients = Pick<Aws, "ec2" | "rds" | "autoScaling">;

/** The objects of one kind in one region. */
export interface TaggedKind {
  /** The kind's name in the ledger. */
  kind: string;
  /** Returns a page of the objects that have an account's tag and that AWS is not deleting, with one call. */
  list(aws: Clients, accountId: string, next?: string): Promise<TaggedPage>;
  /** The object of this id, whatever its tags, while AWS has it. */
  find(aws: Clients, id: string): Promise<TaggedObject | undefined>;
}

/** The tag that names an object's account. */
export const ACCOUNT_TAG = "gantry:account";
const PAGE_SIZE = 500;
/** The largest page of services that use the Query API. */
const QUERY_API_PAGE_SIZE = 100;

const accountTagFilter = (accountId: string): Filter => ({ Name: `tag:${ACCOUNT_TAG}`, Values: [accountId] });

interface DescribeQuery {
  Filters: Filter[];
  MaxResults?: number;
  NextToken?: string | undefined;
}

/** A kind of EC2: `idFilter` finds an object by its id, `notDeleting` leaves out objects that AWS is deleting. */
function ec2Kind(
  kind: string,
  idFilter: string,
  query: (ec2: Aws["ec2"], query: DescribeQuery) => Promise<TaggedPage>,
  notDeleting: Filter[] = [],
): TaggedKind {
  return {
    kind,
    list: ({ ec2 }, accountId, NextToken) => {
      return query(ec2, { Filters: [accountTagFilter(accountId), ...notDeleting], MaxResults: PAGE_SIZE, NextToken });
    },
    find: async ({ ec2 }, id) => (await query(ec2, { Filters: [{ Name: idFilter, Values: [id] }] })).objects[0],
  };
}

/** The kinds that can be listed by their tags, the most expensive first. */
export const taggedKinds: readonly TaggedKind[] = [
  ec2Kind(
    "instance",
    "instance-id",
    async (ec2, query) => {
      const { Reservations = [], NextToken: next } = await ec2.send(new DescribeInstancesCommand(query));
      const instances = Reservations.flatMap(({ Instances = [] }) => Instances);
      // AWS shows a terminated instance for another hour.
      const existing = instances.filter(({ State }) => State?.Name !== "terminated");
      return pageOf(existing, ({ InstanceId, Tags }) => [InstanceId, Tags], next);
    },
    [{ Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped"] }],
  ),
  {
    kind: "db_instance",
    async list({ rds }, accountId, Marker) {
      const { DBInstances, Marker: next } = await rds.send(
        new DescribeDBInstancesCommand({ MaxRecords: QUERY_API_PAGE_SIZE, Marker }),
      );
      const existing = DBInstances?.filter(({ DBInstanceStatus }) => DBInstanceStatus !== "deleting");
      return { objects: filterByAccount(dbInstances(existing), accountId), next };
    },
    async find({ rds }, id) {
      const query = { Filters: [{ Name: "db-instance-id", Values: [id] }] };
      return dbInstances((await rds.send(new DescribeDBInstancesCommand(query))).DBInstances)[0];
    },
  },
  {
    kind: "db_cluster",
    async list({ rds }, accountId, Marker) {
      const { DBClusters, Marker: next } = await rds.send(
        new DescribeDBClustersCommand({ MaxRecords: QUERY_API_PAGE_SIZE, Marker }),
      );
      const existing = DBClusters?.filter(({ Status }) => Status !== "deleting");
      return { objects: filterByAccount(dbClusters(existing), accountId), next };
    },
    async find({ rds }, id) {
      const query = { Filters: [{ Name: "db-cluster-id", Values: [id] }] };
      return dbClusters((await rds.send(new DescribeDBClustersCommand(query))).DBClusters)[0];
    },
  },
  {
    kind: "auto_scaling_group",
    async list({ autoScaling }, accountId, NextToken) {
      const query = { Filters: [accountTagFilter(accountId)], MaxRecords: QUERY_API_PAGE_SIZE, NextToken };
      const { AutoScalingGroups, NextToken: next } = await autoScaling.send(
        new DescribeAutoScalingGroupsCommand(query),
      );
      const existing = AutoScalingGroups?.filter(({ Status }) => Status === undefined);
      return pageOf(existing, ({ AutoScalingGroupName, Tags }) => [AutoScalingGroupName, Tags], next);
    },
    async find({ autoScaling }, id) {
      const query = { AutoScalingGroupNames: [id] };
      const { AutoScalingGroups } = await autoScaling.send(new DescribeAutoScalingGroupsCommand(query));
      return pageOf(AutoScalingGroups, ({ AutoScalingGroupName, Tags }) => [AutoScalingGroupName, Tags]).objects[0];
    },
  },
  ec2Kind(
    "nat_gateway",
    "nat-gateway-id",
    async (ec2, { Filters, ...page }) => {
      const query = new DescribeNatGatewaysCommand({ Filter: Filters, ...page });
      const { NatGateways = [], NextToken: next } = await ec2.send(query);
      // AWS shows a deleted gateway for another hour.
      const existing = NatGateways.filter(({ State }) => State !== "deleted");
      return pageOf(existing, ({ NatGatewayId, Tags }) => [NatGatewayId, Tags], next);
    },
    [{ Name: "state", Values: ["pending", "available"] }],
  ),
  ec2Kind(
    "volume",
    "volume-id",
    async (ec2, query) => {
      const { Volumes, NextToken: next } = await ec2.send(new DescribeVolumesCommand(query));
      return pageOf(Volumes, ({ VolumeId, Tags }) => [VolumeId, Tags], next);
    },
    [{ Name: "status", Values: ["creating", "available", "in-use", "error"] }],
  ),
  ec2Kind("image", "image-id", async (ec2, query) => {
    const { Images, NextToken: next } = await ec2.send(new DescribeImagesCommand({ ...query, Owners: ["self"] }));
    return pageOf(Images, ({ ImageId, Tags }) => [ImageId, Tags], next);
  }),
  ec2Kind("snapshot", "snapshot-id", async (ec2, query) => {
    const own = new DescribeSnapshotsCommand({ ...query, OwnerIds: ["self"] });
    const { Snapshots, NextToken: next } = await ec2.send(own);
    return pageOf(Snapshots, ({ SnapshotId, Tags }) => [SnapshotId, Tags], next);
  }),
  // AWS returns all addresses on one page.
  ec2Kind("address", "allocation-id", async (ec2, { Filters }) => {
    const { Addresses } = await ec2.send(new DescribeAddressesCommand({ Filters }));
    return pageOf(Addresses, ({ AllocationId, Tags }) => [AllocationId, Tags]);
  }),
  ec2Kind("vpc", "vpc-id", async (ec2, query) => {
    const { Vpcs, NextToken: next } = await ec2.send(new DescribeVpcsCommand(query));
    return pageOf(Vpcs, ({ VpcId, Tags }) => [VpcId, Tags], next);
  }),
  ec2Kind("subnet", "subnet-id", async (ec2, query) => {
    const { Subnets, NextToken: next } = await ec2.send(new DescribeSubnetsCommand(query));
    return pageOf(Subnets, ({ SubnetId, Tags }) => [SubnetId, Tags], next);
  }),
  ec2Kind("security_group", "group-id", async (ec2, query) => {
    const { SecurityGroups, NextToken: next } = await ec2.send(new DescribeSecurityGroupsCommand(query));
    return pageOf(SecurityGroups, ({ GroupId, Tags }) => [GroupId, Tags], next);
  }),
];

const dbInstances = (found: DBInstance[] | undefined) =>
  pageOf(found, ({ DBInstanceIdentifier, TagList }) => [DBInstanceIdentifier, TagList]).objects;
const dbClusters = (found: DBCluster[] | undefined) =>
  pageOf(found, ({ DBClusterIdentifier, TagList }) => [DBClusterIdentifier, TagList]).objects;

type Tags = { Key?: string | undefined; Value?: string | undefined }[] | undefined;

function pageOf<T>(
  found: T[] | undefined,
  part: (each: T) => [id: string | undefined, tags: Tags],
  next?: string,
): TaggedPage {
  const objects = (found ?? []).map((each) => {
    const [id = "", tags = []] = part(each);
    return { id, tags: Object.fromEntries(tags.map(({ Key = "", Value = "" }) => [Key, Value])) };
  });
  // The last page of some services has an empty token.
  return { objects, next: next || undefined };
}

// RDS has no filter by tags.
function filterByAccount(objects: TaggedObject[], accountId: string): TaggedObject[] {
  return objects.filter(({ tags }) => tags[ACCOUNT_TAG] === accountId);
}
