import type { AutoScalingGroup, Prisma } from "@gantry/db";
import { type AwsGroup, findGroup, type Sizes, sizesOf } from "../../aws/auto-scaling/group.js";
import { setTemplateVersion } from "../../aws/auto-scaling/refreshes.js";
import type { Aws } from "../../aws/clients.js";
import type { LaunchTemplateParams } from "../../aws/ec2/launch-template.js";
import { copyVersion, describeVersion } from "../../aws/ec2/template-versions.js";
import type { CloudScope } from "../../engine/cloud-scope.js";
import { notShown, permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

/** What a Request that changes a group must restore if it fails. */
export interface GroupChange {
  requestId: string;
  /** The sizes before the Request, as AWS showed them. */
  sizes: { minimumSize: number; maximumSize: number; desiredCapacity: number };
  /** The blueprint before the Request; absent unless that changes. */
  formerBlueprintId?: string | null;
  /** What a version for another blueprint contains: a repeated call must have the same parameters. */
  launch?: LaunchTemplateParams;
  /** The versions of the launch template before and after; absent until the latter exists. */
  versions?: { former: string; wanted: string };
}

type Context = Pick<AwsStageContext, "request" | "resourceId" | "db">;

/** A group in AWS, with what its workflows use of it. */
export interface FoundGroup {
  name: string;
  scope: CloudScope<Aws>;
  aws: AwsGroup;
  sizes: Sizes;
  templateId: string;
  /** The version of its launch template: a number, or `$Latest`. */
  version: string;
}

/** The group, and what its change must restore; undefined if the Request has not begun it. */
export async function findChange({ request, resourceId, db }: Context) {
  const row = await db.autoScalingGroup.findUniqueOrThrow({ where: { id: resourceId } });
  const change = row.changing as GroupChange | null;
  return { row, change: change?.requestId === request.id ? change : undefined };
}

/**
 * The same with the group in AWS, written before anything changes if the Request has not begun.
 *
 * @throws NotShown if AWS does not have the group
 */
export async function beginChange(context: Context & Pick<AwsStageContext, "cloud">) {
  const { row, change } = await findChange(context);
  if (!row.provisionedId || row.deletedAt) throw permanent("The auto scaling group does not exist in AWS");
  const found = await findInAws(context, row);
  if (!found) throw notShown(row.provisionedId);
  if (change) return { row, change, found };
  const begun: GroupChange = { requestId: context.request.id, sizes: { ...found.sizes } };
  await saveChange(context, begun);
  return { row, change: begun, found };
}

/** Writes what a change must restore. Returns it as a later run reads it: PostgreSQL orders the keys of an object anew. */
export async function saveChange(
  { db, resourceId }: Pick<Context, "db" | "resourceId">,
  change: GroupChange,
): Promise<GroupChange> {
  const changing = change as unknown as Prisma.InputJsonObject;
  const row = await db.autoScalingGroup.update({ where: { id: resourceId }, data: { changing } });
  return row.changing as unknown as GroupChange;
}

/** The group as AWS shows it, or undefined if AWS does not have it. */
export async function findInAws(
  { cloud }: Pick<AwsStageContext, "cloud">,
  { provisionedId: name, providerId, region, deletedAt }: AutoScalingGroup,
): Promise<FoundGroup | undefined> {
  if (!name || deletedAt) return undefined;
  const scope = cloud({ providerId, region });
  const aws = await scope.call((clients: Aws) => findGroup(clients, name));
  if (!aws) return undefined;
  const { LaunchTemplateId: templateId = "", Version: version = "$Default" } = aws.LaunchTemplate ?? {};
  return { name, scope, aws, sizes: sizesOf(aws), templateId, version };
}

/** The members that AWS replaces: the app master is protected. */
export function replaceable({ aws }: FoundGroup) {
  const members = aws.Instances ?? [];
  return members.filter(
    ({ ProtectedFromScaleIn, LifecycleState = "" }) =>
      !ProtectedFromScaleIn && !/^(Standby|EnteringStandby|Terminat)/.test(LifecycleState),
  );
}

/**
 * Gives a group the number of its launch template's version, so that it does not follow a later one, and AWS can return to it.
 * Returns the number.
 */
export async function pinVersion({ name, scope, templateId, version: shown }: FoundGroup): Promise<string> {
  const { version } = await scope.call(describeVersion(templateId, shown));
  if (shown !== version) await scope.call(setTemplateVersion(name, { templateId, version }));
  return version;
}

/**
 * Lets a group follow its launch template again, from a version with the same data if another one is the latest: changed tags are
 * versions too. Returns the flavor that it launches.
 */
export async function followLatest(found: FoundGroup, token: string): Promise<string> {
  const { name, scope, templateId, version } = found;
  const own = await scope.call(describeVersion(templateId, version));
  const latest = await scope.call(describeVersion(templateId, "$Latest"));
  if (version === "$Latest") return own.flavor;
  if (latest.version !== own.version) await scope.call(copyVersion(templateId, { from: own.version, token }));
  await scope.call(setTemplateVersion(name, { templateId, version: "$Latest" }));
  return own.flavor;
}
