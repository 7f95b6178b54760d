import { insertInto } from "@gantry/db";
import { autoScalingGroup } from "@gantry/records";
import { v7 as uuidv7 } from "uuid";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { references, text } from "../../http/filters.js";
import { strict } from "../../http/input.js";
import { integerId } from "../../http/references.js";
import { many, one, requested } from "../../http/reply.js";
import { assertNoOpenRequest } from "../open-requests.js";
import { requireProvisioned } from "../provisioned.js";
import { listRecords, showRecord } from "../read-endpoints.js";
import { requireReachableReports } from "../servers/server.reports.js";
import { plannedGroup } from "./auto-scaling-group.plan.js";
import { findAppMaster, maximumSize, minimumSize, requireOrder } from "./auto-scaling-group.rules.js";

export const autoScalingGroupEndpoints = [
  endpoint({
    route: "POST /auto_scaling_groups",
    summary: "Provision an auto scaling group around an environment's app master",
    body: strict({
      environment: integerId("environments"),
      auto_scaling_group: strict({ minimum_size: minimumSize, maximum_size: maximumSize }),
    }),
    transaction: true,
    reply: requested("provision_auto_scaling_group"),
    handle: async ({ body, caller, db, appContext, open }) => {
      requireReachableReports(appContext.env);
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
        minimumSize: sizes.minimum_size,
        maximumSize: sizes.maximum_size,
        desiredCapacity: Math.max(sizes.minimum_size, 1),
      };
      return open("provision_auto_scaling_group", {
        accountId,
        resource: { type: "auto_scaling_group", id },
        input: { serverId },
        rows: [insertInto("auto_scaling_groups", row)],
        planned: () => plannedGroup(row, appMaster, appContext.env.SERVER_IMAGE_PARAMETER),
      });
    },
  }),

  endpoint({
    route: "PUT /auto_scaling_groups/:auto_scaling_group_id",
    summary: "Change the sizes of an auto scaling group",
    body: strict({
      auto_scaling_group: strict({
        minimum_size: minimumSize,
        maximum_size: maximumSize,
        desired_capacity: minimumSize.describe("The number of instances now; the app master counts as one"),
      }),
    }),
    transaction: true,
    reply: requested("update_auto_scaling_group"),
    handle: async ({ params, body, caller, db, open }) => {
      const group = await caller.find("autoScalingGroup", params.auto_scaling_group_id, "update");
      const sizes = body.auto_scaling_group;
      requireOrder(sizes);
      const { id, accountId } = group;
      requireProvisioned("auto scaling group", group);
      await assertNoOpenRequest(["deprovision_auto_scaling_group"], db, "auto_scaling_group", id);
      return open("update_auto_scaling_group", {
        accountId,
        resource: { type: "auto_scaling_group", id },
        input: {
          minimumSize: sizes.minimum_size,
          maximumSize: sizes.maximum_size,
          desiredCapacity: sizes.desired_capacity,
        },
      });
    },
  }),

  endpoint({
    route: "DELETE /auto_scaling_groups/:auto_scaling_group_id",
    summary: "Deprovision an auto scaling group; the app master stays",
    transaction: true,
    reply: requested("deprovision_auto_scaling_group"),
    handle: async ({ params, caller, db, open }) => {
      const { id, accountId, deletedAt } = await caller.find(
        "autoScalingGroup",
        params.auto_scaling_group_id,
        "update",
      );
      if (deletedAt) throw conflict(`the auto scaling group ${id} was already deleted`);
      await assertNoOpenRequest(["deprovision_auto_scaling_group"], db, "auto_scaling_group", id);
      return open("deprovision_auto_scaling_group", {
        accountId,
        resource: { type: "auto_scaling_group", id },
        input: {},
      });
    },
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
        environment: references("environment"),
        account: references("account"),
        provider: references("provider"),
        provisioned_id: text,
      },
    }),
    "autoScalingGroup",
  ),
];
