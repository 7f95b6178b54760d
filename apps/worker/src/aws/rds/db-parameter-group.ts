import { DeleteDBParameterGroupCommand, DescribeDBParameterGroupsCommand } from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { usingInstances } from "./database-users.js";
import { findByIdentifier, NOT_FOUND } from "./identifier.js";

/**
 * The settings of a database's servers. Earlier versions created one per database and set nothing in it; databases now
 * have AWS's default group of their version. Its id is its name.
 */
export const dbParameterGroup: CloudKind<Aws, object> = {
  kind: "db_parameter_group",
  label: "DB parameter group",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBParameterGroupName) => {
      const { DBParameterGroups } = await rds.send(new DescribeDBParameterGroupsCommand({ DBParameterGroupName }));
      return DBParameterGroups;
    }),
  create: () => Promise.reject(new Error("databases use the default parameter group of their version")),
  obstacles: ({ rds }, name) =>
    usingInstances(rds, ({ DBParameterGroups }) =>
      Boolean(DBParameterGroups?.some(({ DBParameterGroupName }) => DBParameterGroupName === name)),
    ),
  async remove({ rds }, name) {
    await ignoring(rds.send(new DeleteDBParameterGroupCommand({ DBParameterGroupName: name })), NOT_FOUND);
  },
};
