import type { Environment, Tx } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { alreadyDeleted } from "../../http/rows/live-rows.js";
import { requireUnusedOutside } from "../snapshot-use.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

const LIFECYCLE_TYPES = [
  "start_environment",
  "scale_environment",
  "deprovision_environment",
  "destroy_environment",
] as const;

/**
 * The environment, locked until the transaction ends.
 *
 * @throws 409 if it was deleted, or an unfinished Request boots, scales, deprovisions or destroys it
 */
export async function findIdleEnvironment(caller: Caller, db: Tx, id: string): Promise<Environment> {
  const environment = await caller.find("environment", id, "update");
  if (environment.deletedAt) throw alreadyDeleted("environment", id);
  await assertNoUnfinishedRequest(LIFECYCLE_TYPES, db, "environment", environment.id);
  return environment;
}

/**
 * As `findIdleEnvironment`, for the removal of the environment with its snapshots.
 *
 * @throws 409 also if a volume, or a server of another environment, needs one of its snapshots
 */
export async function findDestroyableEnvironment(caller: Caller, db: Tx, id: string): Promise<Environment> {
  const environment = await findIdleEnvironment(caller, db, id);
  await requireUnusedOutside(db, environment);
  return environment;
}
