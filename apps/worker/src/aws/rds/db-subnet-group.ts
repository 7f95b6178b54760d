import {
  CreateDBSubnetGroupCommand,
  DeleteDBSubnetGroupCommand,
  DescribeDBSubnetGroupsCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind, Obstacle } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { usingClusters, usingInstances } from "./database-users.js";
import { findByIdentifier, identifierOf, NOT_FOUND } from "./identifier.js";

/** The subnets of a database's servers, in two zones at least. Its id is its name. */
export const dbSubnetGroup: CloudKind<Aws, { subnetIds: string[] }> = {
  kind: "db_subnet_group",
  label: "DB subnet group",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBSubnetGroupName) => {
      const { DBSubnetGroups } = await rds.send(new DescribeDBSubnetGroupsCommand({ DBSubnetGroupName }));
      return DBSubnetGroups;
    }),
  async create({ noRetry }, intent) {
    const name = identifierOf(intent);
    await noRetry.rds.send(
      new CreateDBSubnetGroupCommand({
        DBSubnetGroupName: name,
        DBSubnetGroupDescription: intent.tags.Name ?? name,
        SubnetIds: intent.params.subnetIds,
        Tags: tagsOf(intent),
      }),
    );
    return name;
  },
  async obstacles(aws, name) {
    const { rds } = aws;
    const [instances, clusters] = await Promise.all([
      instancesIn(name)(aws),
      usingClusters(rds, ({ DBSubnetGroup }) => DBSubnetGroup === name),
    ]);
    return [...instances, ...clusters];
  },
  async remove({ rds }, name) {
    await ignoring(rds.send(new DeleteDBSubnetGroupCommand({ DBSubnetGroupName: name })), NOT_FOUND);
  },
};

/** Returns the DB instances whose subnets a group holds. */
export function instancesIn(subnetGroup: string): (aws: Pick<Aws, "rds">) => Promise<Obstacle[]> {
  return ({ rds }) => usingInstances(rds, ({ DBSubnetGroup }) => DBSubnetGroup?.DBSubnetGroupName === subnetGroup);
}
