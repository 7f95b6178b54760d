import {
  type DBCluster,
  type DBInstance,
  paginateDescribeDBClusters,
  paginateDescribeDBInstances,
} from "@aws-sdk/client-rds";
import type { Obstacle } from "../../engine/cloud-kind.js";
import type { Aws } from "../clients.js";

const PAGE_SIZE = 100;

/** Returns the DB instances of the region that use an object. RDS has no filter for that. */
export async function usingInstances(client: Aws["rds"], uses: (instance: DBInstance) => boolean): Promise<Obstacle[]> {
  const obstacles: Obstacle[] = [];
  for await (const { DBInstances = [] } of paginateDescribeDBInstances({ client, pageSize: PAGE_SIZE }, {}))
    for (const { DBInstanceIdentifier: id = "" } of DBInstances.filter(uses))
      obstacles.push({ fact: `is used by DB instance ${id}`, ids: [id] });
  return obstacles;
}

/** As `usingInstances`, for DB clusters. */
export async function usingClusters(client: Aws["rds"], uses: (cluster: DBCluster) => boolean): Promise<Obstacle[]> {
  const obstacles: Obstacle[] = [];
  for await (const { DBClusters = [] } of paginateDescribeDBClusters({ client, pageSize: PAGE_SIZE }, {}))
    for (const { DBClusterIdentifier: id = "" } of DBClusters.filter(uses))
      obstacles.push({ fact: `is used by DB cluster ${id}`, ids: [id] });
  return obstacles;
}
