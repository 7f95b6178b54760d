import type { Network } from "@gantry/client";

type Stateful = Pick<Network, "deleted_at" | "removal_started_at" | "provisioned_id">;

/** The state of a record that says it by its times. */
export function networkState({ deleted_at, removal_started_at, provisioned_id }: Stateful): string {
  if (deleted_at) return "removed";
  if (removal_started_at) return "being removed";
  return provisioned_id ? "ready" : "being made";
}
