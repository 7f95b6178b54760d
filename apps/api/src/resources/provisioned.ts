import { modelOf, nameOf, type ResourceType } from "@gantry/requests";
import { conflict } from "../http/errors.js";

interface ProvisionedRow {
  id: string | number;
  deletedAt: Date | null;
  provisionedId: string | null;
}

/**
 * The row's id in AWS.
 *
 * @throws 409 where the row was deleted or is not provisioned yet
 */
export function requireProvisioned(type: ResourceType, { id, deletedAt, provisionedId }: ProvisionedRow): string {
  const about = { model: modelOf(type), id };
  if (deletedAt) throw conflict(`the ${nameOf(type)} ${id} was deleted`, { about });
  if (!provisionedId) throw conflict(`the ${nameOf(type)} ${id} is not provisioned yet`, { about });
  return provisionedId;
}
