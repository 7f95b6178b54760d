import { collectionOf, modelOf, nameOf, type ResourceType } from "@gantry/resources";
import { conflict, type HttpError } from "../http/errors/errors.js";
import { requireLive } from "../http/rows/live-rows.js";

interface ProvisionedRow {
  id: string | number;
  deletedAt: Date | null;
  provisionedId: string | null;
  /** When its removal began; a failed removal keeps it. */
  removalStartedAt?: Date | null;
}

/**
 * The row's id in AWS.
 *
 * @throws 409 if the row was deleted, is not provisioned yet, or its removal has begun
 */
export function requireProvisioned(type: ResourceType, row: ProvisionedRow): string {
  const { id, provisionedId, removalStartedAt } = row;
  const about = { model: modelOf(type), id };
  requireLive(about.model, row);
  if (!provisionedId) throw conflict(`${nameOf(type)} ${id} is not provisioned yet`, { about });
  if (removalStartedAt) throw removalBegun(type, id);
  return provisionedId;
}

/** 409 because some of the record's cloud objects are gone. */
export function removalBegun(type: ResourceType, id: string | number): HttpError {
  const about = { model: modelOf(type), id };
  const sentence = `the removal of ${nameOf(type)} ${id} has begun; if it failed, remove it again`;
  return conflict(sentence, { about, blocking: [`${collectionOf(type)}/${id}`] });
}
