import { fieldOf } from "@gantry/db";
import { type ResourceType, resources } from "./catalogue.js";
import type { ModelOf } from "./declarations/facts.js";

export const resourceTypes = Object.keys(resources) as ResourceType[];

/** The model of a resource type, as the database client names it. */
export function modelOf<Type extends ResourceType>(type: Type): ModelOf<Type> {
  return fieldOf(type) as ModelOf<Type>;
}

/** The words for one record of a type, in messages. */
export function nameOf(type: ResourceType): string {
  return resources[type].name ?? type.replaceAll("_", " ");
}

/** The cloud objects that a record of a type represents or holds: their kinds, and the column of their id in AWS. */
export function cloudObjectsOf(type: ResourceType): { kinds: readonly string[]; column: string }[] {
  const { cloudObject, heldObject } = resources[type];
  return [cloudObject, heldObject].filter((object) => object != null);
}

/** The types of the records that a record of this type needs; the column that refers to each is `<type>_id`. */
export function parentsOf(type: ResourceType): ResourceType[] {
  return resourceTypes.filter((other) => (resources[type].references[other] ?? "other") !== "other");
}

/** The types of the records that need a record of this type. */
export function dependentsOf(type: ResourceType): ResourceType[] {
  return resourceTypes.filter((other) => parentsOf(other).includes(type));
}

/** The types of the records that a record of this type is a part of. */
export function compositesOf(type: ResourceType): ResourceType[] {
  return parentsOf(type).filter((other) => resources[type].references[other] === "whole");
}

/** The types of the parts of a record of this type. */
export function partsOf(type: ResourceType): ResourceType[] {
  return resourceTypes.filter((other) => compositesOf(other).includes(type));
}
