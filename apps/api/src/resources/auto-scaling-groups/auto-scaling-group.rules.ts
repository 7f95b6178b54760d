import type { Environment, Server, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/caller.js";
import { conflict, invalid } from "../../http/errors.js";
import { requireUsable } from "../providers/provider.rules.js";
import { assertNoOpenRequest } from "../requests/open-requests.js";

/** The most instances that one group may have. */
const LARGEST = 100;

export const minimumSize = z.int().min(0).max(LARGEST).describe("The fewest instances; the app master counts as one");
export const maximumSize = z.int().min(1).max(LARGEST).describe("The most instances; the app master counts as one");

/** @throws 422 unless the sizes are in their order */
export function requireOrder(sizes: { minimum_size: number; maximum_size: number; desired_capacity?: number }): void {
  const { minimum_size: least, maximum_size: most, desired_capacity: wanted = least } = sizes;
  if (least > most) throw invalid("auto_scaling_group.minimum_size", "must not be greater than maximum_size");
  if (wanted < least || wanted > most) {
    throw invalid("auto_scaling_group.desired_capacity", "must lie between minimum_size and maximum_size");
  }
}

/**
 * The server that a new group of the environment takes in. Called with the environment's row locked.
 *
 * @throws 409 where the environment cannot have a group now
 */
export async function findAppMaster(caller: Caller, db: Tx, environment: Environment): Promise<Server> {
  const { id, deletedAt } = environment;
  if (deletedAt) throw conflict(`the environment ${id} was deleted`);
  await assertNoOpenRequest(["deprovision_environment", "destroy_environment"], db, "environment", id);
  const living = await db.autoScalingGroup.findFirst({ where: { environmentId: id, deletedAt: null } });
  if (living) throw conflict(`the environment ${id} has the auto scaling group ${living.id}`);
  const found = await db.server.findFirst({
    where: {
      environmentId: id,
      role: { in: ["app_master", "solo"] },
      state: "running",
      provisionedId: { not: null },
      deletedAt: null,
    },
  });
  if (!found) throw conflict(`the environment ${id} has no running app master`);
  const server = await caller.find("server", found.id, "update");
  await assertNoOpenRequest(["deprovision_server"], db, "server", server.id);
  requireUsable(await caller.find("provider", server.providerId));
  return server;
}
