import { columnOf } from "@gantry/db";
import { autoScalingGroupChanges } from "../auto-scaling-groups/auto-scaling-group.changes.js";
import { databaseServerChanges } from "../database-servers/database-server.changes.js";
import type { ChangesOf } from "../declarations/changes.js";
import { iamRoleChanges } from "../iam-roles/iam-role.changes.js";
import { serverChanges } from "../servers/server.changes.js";
import { volumeChanges } from "../volumes/volume.changes.js";

/** The changes in place of the resources whose settings a drift scan compares. */
const changes: Readonly<Record<string, ChangesOf>> = {
  server: serverChanges,
  volume: volumeChanges,
  database_server: databaseServerChanges,
  auto_scaling_group: autoScalingGroupChanges,
  iam_role: iamRoleChanges,
};

/** The names in the API of the columns that change in place, for a resource type. */
export function changeableFields(resourceType: string | null): ReadonlyMap<string, string> {
  const declared = Object.entries(changes[resourceType ?? ""] ?? {});
  return new Map(declared.map(([name, { column }]) => [columnOf(column), name]));
}
