import { conflict } from "../http/errors.js";

interface ProvisionedRow {
  id: string | number;
  deletedAt: Date | null;
  provisionedId: string | null;
}

/**
 * The row's id in AWS.
 *
 * @param name the row's kind for errors, such as `network`
 * @throws 409 where the row was deleted or is not provisioned yet
 */
export function requireProvisioned(name: string, { id, deletedAt, provisionedId }: ProvisionedRow): string {
  if (deletedAt) throw conflict(`the ${name} ${id} was deleted`);
  if (!provisionedId) throw conflict(`the ${name} ${id} is not provisioned yet`);
  return provisionedId;
}
