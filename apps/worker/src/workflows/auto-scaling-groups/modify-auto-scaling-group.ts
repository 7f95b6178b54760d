import { isDeepStrictEqual } from "node:util";
import { Prisma } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { desiredCapacity, resize, type Sizes } from "../../aws/auto-scaling/group.js";
import { latestRefresh, rollBackRefresh, startRefresh } from "../../aws/auto-scaling/refreshes.js";
import { copyVersion, describeVersion, renewVersion } from "../../aws/ec2/template-versions.js";
import { addMessage } from "../../engine/request-message.js";
import { permanent, poll } from "../../engine/stage-errors.js";
import { awsWorkflow } from "../aws-workflow.js";
import { awaitMembers } from "./await-members.js";
import { freezeLaunch, recordBlueprint } from "./group-blueprint.js";
import {
  beginChange,
  type FoundGroup,
  findChange,
  findInAws,
  followLatest,
  pinVersion,
  replaceable,
  saveChange,
} from "./group-change.js";

const DAY_MINUTES = 1440;

/** As AWS has it if a call names none. */
const MIN_HEALTHY_PERCENTAGE = 90;

type Input = InputOf<"modify_auto_scaling_group">;

const polling = (reason: string) => poll(reason, { limitMinutes: DAY_MINUTES });

/**
 * Gives a group another flavor or blueprint, by letting AWS replace its instances other than the app master, and other sizes. A
 * failure or a cancel returns to the former ones, by another replacement if AWS does not return by itself, and to the former sizes.
 */
export const modifyAutoScalingGroup = awsWorkflow({
  type: "modify_auto_scaling_group",
  stages: {
    replace: async (context) => {
      const { request, resourceId: id, input, db } = context;
      const { flavor, blueprintId, minHealthyPercentage = MIN_HEALTHY_PERCENTAGE } = input;
      const { change, found } = await beginChange(context);
      if (flavor === undefined) return;
      const { name, scope, templateId } = found;
      const refresh = await scope.call(latestRefresh(name));
      if (!change.versions || refresh?.version !== change.versions.wanted) {
        if (refresh?.isActive)
          throw polling("a replacement of the group's instances that was started outside of Gantry");
        const former = await pinVersion(found);
        const begun = blueprintId === undefined ? change : await freezeLaunch(context, found, { flavor, blueprintId });
        const source = { from: former, token: `${request.id}-${former}` };
        const create = begun.launch
          ? renewVersion(templateId, { ...source, params: begun.launch })
          : copyVersion(templateId, { ...source, flavor });
        const wanted = begun.versions?.wanted ?? (await scope.call(create));
        await saveChange(context, { ...begun, versions: { former, wanted } });
        await scope.call(startRefresh(name, { templateId, version: wanted, minHealthyPercentage }));
        throw polling("AWS to replace the group's instances (0 %)");
      }
      if (refresh.isActive) throw polling(`AWS to replace the group's instances (${refresh.percentage} %)`);
      if (refresh.status !== "Successful") {
        const { status, reason } = refresh;
        throw permanent(`AWS did not replace all of the group's instances: ${status}${reason ? `, ${reason}` : ""}`);
      }
      // AWS shows the group's new version with the end or after it.
      const after = (await beginChange(context)).found;
      const own = await scope.call(describeVersion(templateId, after.version));
      if (own.version !== change.versions.wanted) throw poll("AWS to show the group's new version");
      await followLatest(after, `${request.id}-new`);
      await db.autoScalingGroup.update({
        where: { id },
        data: { flavor, ...(blueprintId !== undefined && { blueprintId }) },
      });
    },

    resize: async (context) => {
      const { request, resourceId: id, input, db } = context;
      const { found } = await beginChange(context);
      const sizes = wantedSizes(input, found.sizes);
      if (!sizes) return;
      const { name, scope } = found;
      await scope.call(resize(name, sizes));
      const desired = (await scope.call(desiredCapacity(name))) ?? sizes.desiredCapacity;
      await db.autoScalingGroup.update({ where: { id }, data: { ...sizes, desiredCapacity: desired } });
      await awaitMembers({ db, request }, scope, name);
    },
  },

  undo: async (context) => {
    const { request, resourceId: id, input, db, cloud } = context;
    const changed = input.blueprintId === undefined ? "flavor" : "blueprint";
    const { row, change } = await findChange(context);
    if (!change) return;
    const { provisionedId, providerId, region } = row;
    const refresh =
      provisionedId && change.versions
        ? await cloud({ providerId, region }).call(latestRefresh(provisionedId))
        : undefined;
    const found = await findInAws(context, row);
    if (!found) {
      await db.autoScalingGroup.update({ where: { id }, data: { changing: Prisma.DbNull } });
      return;
    }
    const { name, scope, templateId, version } = found;
    if (change.versions) {
      const { former, wanted } = change.versions;
      if (refresh?.isActive) {
        if (refresh.version === wanted && /^(Pending|InProgress|Baking)$/.test(refresh.status))
          await scope.call(rollBackRefresh(name));
        throw polling("AWS to end the replacement of the group's instances");
      }
      const left = withVersion(found, wanted);
      const own = await scope.call(describeVersion(templateId, version));
      const isGivenUp = refresh?.version === former && refresh.status !== "Successful";
      if (!isGivenUp && (left.length > 0 || own.version === wanted)) {
        await pinVersion(found);
        const minHealthyPercentage = input.minHealthyPercentage ?? MIN_HEALTHY_PERCENTAGE;
        await scope.call(startRefresh(name, { templateId, version: former, minHealthyPercentage }));
        throw polling(`AWS to return the group's instances to the former ${changed}`);
      }
      if (left.length > 0)
        await addMessage(
          context,
          `AWS could not return ${left.length} of the group's instances to its former ${changed}`,
        );
    }
    await recordBlueprint(context, found, change);
    const flavor = await followLatest(found, `${request.id}-former`);
    const asked = wantedSizes(input, found.sizes);
    if (asked && isDeepStrictEqual(asked, found.sizes)) await scope.call(resize(name, change.sizes));
    const sizes = (await findInAws(context, row))?.sizes ?? found.sizes;
    const data = { ...sizes, ...(change.versions && { flavor }), changing: Prisma.DbNull };
    await db.autoScalingGroup.update({ where: { id }, data });
    const bounds = `${sizes.minimumSize} to ${sizes.maximumSize}, ${sizes.desiredCapacity} desired`;
    await addMessage(context, `The group launches ${flavor} (${bounds})`);
  },

  // The record has what AWS shows by then.
  discard: async () => undefined,
});

/** The sizes that a group gets, with its own for those that the Request does not name; undefined if it names none. */
function wantedSizes({ minimumSize, maximumSize, desiredCapacity: desired }: Input, own: Sizes): Sizes | undefined {
  if (minimumSize === undefined && maximumSize === undefined && desired === undefined) return undefined;
  const [least, most] = [minimumSize ?? own.minimumSize, maximumSize ?? own.maximumSize];
  const kept = Math.min(Math.max(own.desiredCapacity, least), most);
  return { minimumSize: least, maximumSize: most, desiredCapacity: desired ?? kept };
}

/** The members that were launched from a version, and that AWS replaces. */
function withVersion(found: FoundGroup, version: string) {
  return replaceable(found).filter(({ LaunchTemplate }) => LaunchTemplate?.Version === version);
}
