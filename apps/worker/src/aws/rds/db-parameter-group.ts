import {
  CreateDBParameterGroupCommand,
  DeleteDBParameterGroupCommand,
  DescribeDBParameterGroupsCommand,
} from "@aws-sdk/client-rds";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { tagsOf } from "../iam/tags.js";
import { findByIdentifier, identifierOf, NOT_FOUND } from "./identifier.js";

/** The settings of a database's servers, in the family of their engine and version. Its id is its name. */
export const dbParameterGroup: CloudKind<Aws, { family: string }> = {
  kind: "db_parameter_group",
  label: "DB parameter group",
  strategy: "name",
  find: ({ rds }, intent) =>
    findByIdentifier(intent, async (DBParameterGroupName) => {
      const { DBParameterGroups } = await rds.send(new DescribeDBParameterGroupsCommand({ DBParameterGroupName }));
      return DBParameterGroups;
    }),
  async create({ noRetry }, intent) {
    const name = identifierOf(intent);
    await noRetry.rds.send(
      new CreateDBParameterGroupCommand({
        DBParameterGroupName: name,
        DBParameterGroupFamily: intent.params.family,
        Description: intent.tags.Name ?? name,
        Tags: tagsOf(intent),
      }),
    );
    return name;
  },
  async remove({ rds }, name) {
    await ignoring(rds.send(new DeleteDBParameterGroupCommand({ DBParameterGroupName: name })), NOT_FOUND);
  },
};

/** The parameter group family of an engine and a version: `mysql5.7`, `postgres9.6`, `aurora5.6`. */
export function parameterFamily(engine: string, version: string): string {
  const [major, minor] = version.split(".");
  return `${engine}${major}.${minor}`;
}
