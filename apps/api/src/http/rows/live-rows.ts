import { columnOf, type Model } from "@gantry/db";
import { nameOf, type ResourceType, resources } from "@gantry/resources";
import { conflict, type HttpError } from "../errors/errors.js";

interface DeletableRow {
  id: string | number;
  deletedAt: Date | null;
}

/** The words for one record of a model, in messages. */
function wordsFor(model: Model): string {
  const type = columnOf(model);
  return type in resources ? nameOf(type as ResourceType) : type.replaceAll("_", " ");
}

/** 409 for the removal of a record that was deleted before. */
export function alreadyDeleted(model: Model, id: string | number): HttpError {
  return conflict(`${wordsFor(model)} ${id} was already deleted`);
}

/** @throws 409 if the record was deleted */
export function requireLive(model: Model, { id, deletedAt }: DeletableRow): void {
  if (deletedAt) throw conflict(`${wordsFor(model)} ${id} was deleted`, { about: { model, id } });
}
