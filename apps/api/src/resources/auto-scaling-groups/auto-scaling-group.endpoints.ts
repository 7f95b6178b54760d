import { insertInto } from "@gantry/db";
import { autoScalingGroup, autoScalingGroupChanges, plannedChanges } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { endpoint } from "../../http/endpoint.js";
import { invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { integerId } from "../../http/input/references.js";
import { indexed, references, text } from "../../http/lists/filters.js";
import { mergedTags, ownTags, tagsInput } from "../../http/lists/tags.js";
import { many } from "../../http/reply/list.js";
import { one, requested } from "../../http/reply/reply.js";
import { requireProvisioned } from "../provisioned.js";
import { listRecords, removeByRequest, showRecord } from "../record-endpoints.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { changeTags } from "../tags/tag.changes.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";
import { groupChangesInput, modifyGroup } from "./auto-scaling-group.modification.js";
import { plannedGroup } from "./auto-scaling-group.plan.js";
import {
  desiredCapacity,
  findAppMaster,
  maximumSize,
  minHealthyPercentage,
  minimumSize,
  requireOrder,
} from "./auto-scaling-group.rules.js";

export const autoScalingGroupEndpoints = [
  endpoint({
    route: "POST /auto_scaling_groups",
    summary: "Provision an auto scaling group around an environment's app master",
    body: strict({
      environment: integerId("environments"),
      auto_scaling_group: strict({ minimum_size: minimumSize, maximum_size: maximumSize, tags: ownTags }),
    }),
    transaction: true,
    reply: requested("provision_auto_scaling_group"),
    handle: async ({ body, caller, db, env, createRequest }) => {
      requireReachableReports(env);
      const sizes = body.auto_scaling_group;
      const environment = await caller.find("environment", body.environment, "update");
      requireOrder(sizes);
      const appMaster = await findAppMaster(caller, db, environment);
      const { id: serverId, accountId, providerId, region } = appMaster;
      const id = uuidv7();
      const row = {
        id,
        accountId,
        providerId,
        environmentId: environment.id,
        region,
        tags: mergedTags("auto_scaling_group.tags", environment.tags, sizes.tags),
        minimumSize: sizes.minimum_size,
        maximumSize: sizes.maximum_size,
        desiredCapacity: Math.max(sizes.minimum_size, 1),
      };
      return createRequest("provision_auto_scaling_group", {
        accountId,
        resource: { type: "auto_scaling_group", id },
        input: { serverId },
        rows: [insertInto("auto_scaling_groups", row)],
        planned: () => plannedGroup(row, appMaster, env.SERVER_IMAGE_PARAMETER),
      });
    },
  }),

  endpoint({
    route: "PUT /auto_scaling_groups/:auto_scaling_group_id",
    summary: "Change an auto scaling group's sizes or tags; new tags apply to instances launched from then on",
    body: strict({
      auto_scaling_group: strict({
        minimum_size: minimumSize.optional(),
        maximum_size: maximumSize.optional(),
        desired_capacity: desiredCapacity.optional(),
        tags: tagsInput.describe("Instead of sizes").optional(),
      }),
    }),
    transaction: true,
    reply: requested("any"),
    handle: async ({ params, body, caller, db, createRequest }) => {
      const group = await caller.find("autoScalingGroup", params.auto_scaling_group_id, "update");
      const { tags, ...given } = body.auto_scaling_group;
      const { id, accountId } = group;
      requireProvisioned("auto_scaling_group", group);
      if (tags) {
        if (Object.keys(given).length > 0) throw invalid("auto_scaling_group.tags", "cannot be combined with sizes");
        const renewed = await changeTags({ db, createRequest }, "auto_scaling_group", group, { tags, renamed: true });
        if (renewed) return renewed;
      }
      const sizes = {
        minimum_size: given.minimum_size ?? group.minimumSize,
        maximum_size: given.maximum_size ?? group.maximumSize,
        desired_capacity: given.desired_capacity ?? group.desiredCapacity,
      };
      requireOrder(sizes);
      await assertNoUnfinishedRequest(["modify_auto_scaling_group"], db, "auto_scaling_group", id);
      const input = {
        minimumSize: sizes.minimum_size,
        maximumSize: sizes.maximum_size,
        desiredCapacity: sizes.desired_capacity,
      };
      return createRequest("update_auto_scaling_group", {
        accountId,
        resource: { type: "auto_scaling_group", id },
        input,
        changes: () => ({ changes: plannedChanges(autoScalingGroupChanges, group, input) }),
      });
    },
  }),

  endpoint({
    route: "POST /auto_scaling_groups/:auto_scaling_group/modify",
    summary: "Give an auto scaling group another flavor or blueprint, by replacing its instances, or other sizes",
    body: strict({
      auto_scaling_group: groupChangesInput,
      min_healthy_percentage: minHealthyPercentage.optional(),
    }),
    transaction: true,
    reply: requested("modify_auto_scaling_group"),
    handle: async ({ params, body, ...act }) =>
      modifyGroup(act, params.auto_scaling_group, body.auto_scaling_group, body.min_healthy_percentage),
  }),

  removeByRequest("DELETE /auto_scaling_groups/:auto_scaling_group_id", {
    summary: "Deprovision an auto scaling group; the app master stays",
    type: "auto_scaling_group",
    request: "deprovision_auto_scaling_group",
  }),

  showRecord(
    "GET /auto_scaling_groups/:auto_scaling_group_id",
    "Show an auto scaling group",
    one(autoScalingGroup),
    "autoScalingGroup",
  ),

  listRecords(
    "GET /auto_scaling_groups",
    "List auto scaling groups",
    many(autoScalingGroup, {
      filters: {
        environment: indexed(references("environment")),
        provider: references("provider"),
        provisioned_id: text,
      },
    }),
    "autoScalingGroup",
  ),
];
