import { isDeepStrictEqual } from "node:util";
import { GP3_DEFAULTS } from "@gantry/aws-facts";
import { type Drift, fieldOf } from "@gantry/db";
import { changeableFields } from "@gantry/resources";
import type { Env } from "@gantry/runtime";
import { conflict, forbidden } from "../../http/errors/errors.js";
import type { Accepting } from "../../http/plans/requested.js";
import { groupChangesInput, modifyGroup } from "../auto-scaling-groups/auto-scaling-group.modification.js";
import { databaseServerChangesInput, modifyDatabaseServer } from "../database-servers/database-server.modification.js";
import { restoreRole } from "../iam-roles/iam-role.modification.js";
import { modifyServer } from "../servers/server.modification.js";
import { modifyVolume, volumeChangesInput } from "../volumes/volume.modification.js";

type Values = Readonly<Record<string, string | null>>;

/**
 * Accepts a Request that gives an object in AWS the settings that its record had before they were changed outside of Gantry.
 *
 * @throws 409 if nothing of the finding can be restored, or the record has other settings by now, and as the change itself
 */
export async function restore(act: Accepting & { env: Env }, finding: Drift) {
  const { id, resourceType, resourceId } = finding;
  if (finding.finding !== "changed" || !resourceId) throw conflict(`finding ${id} is not a change`);
  const { caller, db } = act;
  await db.drift.delete({ where: { id } });
  if (resourceType === "server") {
    const { flavor } = formerSettings(finding, await caller.find("server", resourceId));
    return modifyServer(act, resourceId, { flavor: String(flavor), apply: "now" });
  }
  if (resourceType === "volume") {
    const former = formerSettings(finding, await caller.find("volume", resourceId));
    return modifyVolume(act, resourceId, volumeChangesInput.parse(former));
  }
  if (resourceType === "auto_scaling_group") {
    const { minimumSize, maximumSize, ...group } = await caller.find("autoScalingGroup", resourceId);
    const former = groupChangesInput.parse(formerSettings(finding, { minimumSize, maximumSize, ...group }));
    const { minimum_size: least = minimumSize, maximum_size: most = maximumSize } = former;
    const { desired_capacity: desired = Math.min(Math.max(group.desiredCapacity, least), most) } = former;
    return modifyGroup(act, resourceId, { ...former, desired_capacity: desired });
  }
  if (resourceType === "iam_role") {
    const former = formerSettings(finding, await caller.find("iamRole", resourceId));
    // As for any change of a role.
    if (!caller.administers(finding.accountId)) throw forbidden("only admins of the account may change its roles");
    return restoreRole(act, resourceId, former);
  }
  const former = formerSettings(finding, await caller.find("databaseServer", resourceId));
  return modifyDatabaseServer(act, resourceId, databaseServerChangesInput.parse(former), "now");
}

/** The settings before the change, by their names in the API, of those that the record has had since. */
function formerSettings({ id, resourceType, ...finding }: Drift, row: object): Record<string, unknown> {
  const [before, after] = [finding.before as Values, finding.after as Values];
  const changeable = changeableFields(resourceType);
  const changed = Object.keys(after).filter((column) => before[column] !== after[column]);
  const fields = changed.filter((column) => changeable.has(column));
  if (fields.length === 0) {
    const known = [...changeable.values()].join(", ");
    throw conflict(`nothing of finding ${id} can be restored: it is of ${changed.join(", ")}; what can is ${known}`);
  }
  const values = row as Record<string, unknown>;
  const own = fields.filter((column) => isText(values[fieldOf(column)], after[column] ?? null));
  if (own.length === 0) throw conflict(`nothing of finding ${id} can be restored: it has been changed since`);
  return Object.fromEntries(
    own.map((column) => {
      const former = before[column] ?? GP3_DEFAULTS[column as keyof typeof GP3_DEFAULTS] ?? null;
      return [changeable.get(column), typed(former, values[fieldOf(column)])];
    }),
  );
}

/** True if a value is what a text of a finding says. */
function isText(value: unknown, text: string | null): boolean {
  if (value === null || text === null) return value === text;
  return typeof value === "object" ? isDeepStrictEqual(value, JSON.parse(text)) : String(value) === text;
}

/** A text as a value of the type of another one. */
function typed(text: string | number | null, other: unknown): string | number | boolean | null {
  if (typeof other === "boolean") return text === "true";
  return typeof other === "number" ? Number(text) : text;
}
