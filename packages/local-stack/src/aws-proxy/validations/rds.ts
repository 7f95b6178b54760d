import type { AwsError } from "../aws-response.js";
import { listParam } from "../call.js";
import { all, text } from "../xml.js";
import { filter, type Validation, type ValidationContext } from "./validation.js";

const createSubnetGroup: Validation = async ({ call, read }) => {
  const name = (call.params.DBSubnetGroupName ?? "").toLowerCase();
  const groups = await read("rds", { Action: "DescribeDBSubnetGroups" });
  const taken = all(groups, "DBSubnetGroups", "DBSubnetGroup", "DBSubnetGroupName").includes(name);
  return taken
    ? { code: "DBSubnetGroupAlreadyExists", message: `The DB subnet group '${name}' already exists.` }
    : undefined;
};

const deleteSubnetGroup: Validation = async ({ call, read }) => {
  const name = (call.params.DBSubnetGroupName ?? "").toLowerCase();
  const [instances, clusters] = await Promise.all([
    read("rds", { Action: "DescribeDBInstances" }),
    read("rds", { Action: "DescribeDBClusters" }),
  ]);
  const users = [
    ...all(instances, "DBInstances", "DBInstance", "DBSubnetGroup", "DBSubnetGroupName"),
    ...all(clusters, "DBClusters", "DBCluster", "DBSubnetGroup"),
  ];
  const message = `Cannot delete the subnet group '${name}' because at least one database is still using it.`;
  return users.includes(name) ? { code: "InvalidDBSubnetGroupStateFault", message } : undefined;
};

const deleteParameterGroup: Validation = async ({ call, read }) => {
  const name = call.params.DBParameterGroupName ?? "";
  const found = await read("rds", { Action: "DescribeDBInstances" });
  const path = ["DBInstances", "DBInstance", "DBParameterGroups", "DBParameterGroup", "DBParameterGroupName"];
  const message = `One or more database instances are still members of this parameter group ${name}, so the group cannot be deleted`;
  return all(found, ...path).includes(name) ? { code: "InvalidDBParameterGroupState", message } : undefined;
};

/** Moto rejects the call too, but with the error code for snapshots. */
const createCluster: Validation = async (context) => {
  const { call, read } = context;
  const id = call.params.DBClusterIdentifier ?? "";
  const found = await read("rds", { Action: "DescribeDBClusters" });
  const taken = all(found, "DBClusters", "DBCluster", "DBClusterIdentifier").includes(id);
  if (taken) return { code: "DBClusterAlreadyExistsFault", message: "DB Cluster already exists" };
  return checkSecurityGroups(context);
};

/**
 * Moto accepts security groups that do not exist, or that belong to another VPC than the subnet group. Sentences: public
 * issues that quote RDS's refusals, read in November 2026.
 */
async function checkSecurityGroups({ call, read }: ValidationContext): Promise<AwsError | undefined> {
  const ids = listParam(call.params, "VpcSecurityGroupIds.VpcSecurityGroupId");
  const subnetGroup = call.params.DBSubnetGroupName?.toLowerCase();
  const [subnetGroups, ...found] = await Promise.all([
    subnetGroup === undefined ? undefined : read("rds", { Action: "DescribeDBSubnetGroups" }),
    ...ids.map((id) => read("ec2", { Action: "DescribeSecurityGroups", ...filter("group-id", id) })),
  ]);
  const vpcs = found.map((group) => all(group, "securityGroupInfo", "item", "vpcId")[0]);
  const missing = vpcs.indexOf(undefined);
  if (missing >= 0)
    return {
      code: "InvalidParameterValue",
      message: `Invalid security group , groupId= ${ids[missing]}, groupName=.`,
    };
  const known = all(subnetGroups ?? {}, "DBSubnetGroups", "DBSubnetGroup");
  const used = known.find((group) => text(group, "DBSubnetGroupName") === subnetGroup);
  const vpc = used && text(used, "VpcId");
  const other = vpcs.find((id) => id !== vpc);
  if (!vpc || !other) return undefined;
  const message = `The DB instance and EC2 security group are in different VPCs. The DB instance is in ${vpc} and the EC2 security group is in ${other}`;
  return { code: "InvalidParameterCombination", message };
}

const changeInstance: Validation = async ({ call, transientState }) => {
  const id = call.params.DBInstanceIdentifier ?? "";
  return checkAvailable(`DB instance ${id}`, "InvalidDBInstanceState", transientState(id, "databaseMs"));
};

const modifyInstance: Validation = async (context) =>
  (await changeInstance(context)) ?? (await checkSecurityGroups(context));

const changeCluster: Validation = async ({ call, read, transientState }) => {
  const id = call.params.DBClusterIdentifier ?? "";
  const clusters = all(await read("rds", { Action: "DescribeDBClusters" }), "DBClusters", "DBCluster");
  if (!clusters.some((cluster) => text(cluster, "DBClusterIdentifier") === id)) {
    return { code: "DBClusterNotFoundFault", message: `DBCluster ${id} not found.`, status: 404 };
  }
  return checkAvailable(`DB cluster ${id}`, "InvalidDBClusterStateFault", transientState(id, "databaseMs"));
};

const modifyCluster: Validation = async (context) => {
  const refusal = await changeCluster(context);
  if (refusal) return refusal;
  const { BackupRetentionPeriod: days } = context.call.params;
  const message = `Invalid backup retention period: ${days}. Retention period must be between 1 and 35.`;
  const isInvalid = days !== undefined && (Number(days) < 1 || Number(days) > 35);
  return isInvalid ? { code: "InvalidParameterValue", message } : checkSecurityGroups(context);
};

function checkAvailable(name: string, code: string, state: string | undefined): AwsError | undefined {
  return state ? { code, message: `${name} is not in the available state: it is ${state}.` } : undefined;
}

export const rds: Record<string, Validation> = {
  CreateDBCluster: createCluster,
  CreateDBInstance: checkSecurityGroups,
  CreateDBInstanceReadReplica: checkSecurityGroups,
  CreateDBSubnetGroup: createSubnetGroup,
  DeleteDBCluster: changeCluster,
  DeleteDBInstance: changeInstance,
  DeleteDBParameterGroup: deleteParameterGroup,
  DeleteDBSubnetGroup: deleteSubnetGroup,
  ModifyDBCluster: modifyCluster,
  ModifyDBInstance: modifyInstance,
  PromoteReadReplica: changeInstance,
  RebootDBInstance: changeInstance,
  RestoreDBClusterFromSnapshot: checkSecurityGroups,
  RestoreDBClusterToPointInTime: checkSecurityGroups,
  RestoreDBInstanceFromDBSnapshot: checkSecurityGroups,
  RestoreDBInstanceToPointInTime: checkSecurityGroups,
  StopDBInstance: changeInstance,
};
