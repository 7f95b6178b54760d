import type { Blueprint } from "@gantry/db";
import type { Caller } from "../../http/auth/caller.js";
import { requireLive } from "../../http/rows/live-rows.js";
import { requireSameAccount } from "../environments/environment.placement.js";

/**
 * A blueprint for servers of an account.
 *
 * @param path its parameter, for errors
 * @throws 404 if there is none, 409 if it was deleted, 422 if it belongs to another of the caller's accounts
 */
export async function findUsableBlueprint(
  caller: Caller,
  id: string,
  { accountId, path }: { accountId: string; path: string },
): Promise<Blueprint> {
  const blueprint = await caller.find("blueprint", id);
  requireSameAccount(blueprint, { accountId }, path);
  requireLive("blueprint", blueprint);
  return blueprint;
}
