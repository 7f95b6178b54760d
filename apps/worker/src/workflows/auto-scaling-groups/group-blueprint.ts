import { applicationServerOf, type InputOf } from "@gantry/resources";
import { describeVersion } from "../../aws/ec2/template-versions.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";
import { type FoundGroup, findChange, type GroupChange, saveChange } from "./group-change.js";
import { groupLaunch } from "./group-launch.js";

type Context = Pick<AwsStageContext, "request" | "resourceId" | "db">;

/** Writes what the version for another blueprint contains before it is created. Returns the change with it. */
export async function freezeLaunch(
  context: Context,
  { scope }: FoundGroup,
  { flavor, blueprintId }: { flavor: string; blueprintId: string | null },
): Promise<GroupChange> {
  const { db, resourceId } = context;
  const { row, change } = await findChange(context);
  if (!change) throw permanent("The change of the auto scaling group has not begun");
  if (change.launch) return change;
  const blueprint = blueprintId && (await db.blueprint.findUniqueOrThrow({ where: { id: blueprintId } }));
  const environment = await db.environment.findUniqueOrThrow({
    where: { id: row.environmentId },
    include: { account: true },
  });
  const appMaster = await db.server.findFirst({
    where: { autoScalingGroupId: resourceId, deletedAt: null },
    include: { subnet: true },
  });
  const like = blueprint ? applicationServerOf(blueprint) : appMaster;
  if (!appMaster) throw permanent("The group has no app master");
  if (!like) throw permanent("The blueprint has no server that runs the application");
  const launch = await groupLaunch(context, { scope, environment, appMaster, like: { ...like, flavor } });
  return saveChange(context, { ...change, formerBlueprintId: row.blueprintId, launch });
}

/** Gives the record the blueprint of the version that the group has; the record keeps its own if that is a copy of one. */
export async function recordBlueprint(
  { db, resourceId: id, input }: Context & { input: InputOf<"modify_auto_scaling_group"> },
  { scope, templateId, version }: FoundGroup,
  { versions, formerBlueprintId }: GroupChange,
): Promise<void> {
  if (!versions || formerBlueprintId === undefined) return;
  const own = await scope.call(describeVersion(templateId, version));
  if (own.version !== versions.former && own.version !== versions.wanted) return;
  const blueprintId = own.version === versions.wanted ? (input.blueprintId ?? null) : formerBlueprintId;
  await db.autoScalingGroup.update({ where: { id }, data: { blueprintId } });
}
