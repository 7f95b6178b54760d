import type { Environment, Server, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { requireUsable } from "../providers/provider.rules.js";

/** The maximum number of instances in a group. */
const MAX_SIZE = 100;

export const minimumSize = z
  .int()
  .min(0)
  .max(MAX_SIZE)
  .meta({ examples: [1] })
  .describe("The minimum number of instances, including the app master");
export const maximumSize = z
  .int()
  .min(1)
  .max(MAX_SIZE)
  .meta({ examples: [4] })
  .describe("The maximum number of instances, including the app master");

export const desiredCapacity = minimumSize.describe("The desired number of instances, including the app master");
export const minHealthyPercentage = z
  .int()
  .min(0)
  .max(100)
  .meta({ examples: [90] })
  .describe(
    "The least share of the desired instances that stay in service during a change of flavor or blueprint; with 100, AWS launches each new one first. 90 if absent",
  );

/** @throws 422 unless minimum, desired and maximum ascend */
export function requireOrder(sizes: { minimum_size: number; maximum_size: number; desired_capacity?: number }): void {
  const { minimum_size: minimum, maximum_size: maximum, desired_capacity: desired = minimum } = sizes;
  if (minimum > maximum) throw invalid("auto_scaling_group.minimum_size", "must not be greater than maximum_size");
  if (desired < minimum || desired > maximum) {
    throw invalid("auto_scaling_group.desired_capacity", "must be between minimum_size and maximum_size");
  }
}

/**
 * The server around which a new group is provisioned. Call it with the environment's row locked.
 *
 * @param except the group itself, if it is provisioned again
 * @throws 409 if the environment cannot have a group now
 */
export async function findAppMaster(
  caller: Caller,
  db: Tx,
  environment: Environment,
  except?: string,
): Promise<Server> {
  requireLive("environment", environment);
  const { id } = environment;
  const about = { model: "environment", id } as const;
  const existing = await db.autoScalingGroup.findFirst({
    where: { environmentId: id, deletedAt: null, ...(except && { id: { not: except } }) },
  });
  if (existing)
    throw conflict(`environment ${id} already has auto scaling group ${existing.id}`, {
      about,
      blocking: [`auto_scaling_groups/${existing.id}`],
    });
  const found = await db.server.findFirst({
    where: {
      environmentId: id,
      role: { in: ["app_master", "solo"] },
      state: "running",
      provisionedId: { not: null },
      deletedAt: null,
    },
  });
  if (!found) throw conflict(`environment ${id} has no running app master`, { about });
  const server = await caller.find("server", found.id, "update");
  requireUsable(await caller.find("provider", server.providerId));
  return server;
}
