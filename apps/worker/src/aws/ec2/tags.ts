import type { ResourceType, TagSpecification } from "@aws-sdk/client-ec2";
import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** An intent's tags in the form of EC2's create calls. */
export function tagSpecification(type: ResourceType, { tags }: Pick<Intent<unknown>, "tags">): TagSpecification[] {
  return [{ ResourceType: type, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }];
}

/** The filter for the objects that were made for an intent, by their tag. */
export function tokenFilter({ token }: Pick<Intent<unknown>, "token">) {
  return { Filters: [{ Name: "tag:gantry:token", Values: [token] }] };
}

/** The defined ids of a describe response. */
export function definedIds(ids: (string | undefined)[] | undefined): string[] {
  return (ids ?? []).filter((id) => id !== undefined);
}

/** The id of a create response. */
export function requireId(id: string | undefined): string {
  if (!id) throw new Error("AWS did not return an id for a new object");
  return id;
}

/** A name that is unique to the intent, whatever its prefix. */
export function uniqueName({ token, params }: Pick<Intent<{ name: string }>, "token" | "params">): string {
  return `${params.name}-${token}`;
}

/**
 * The id of the created object. A create that is refused as a duplicate yields the object of an earlier attempt, which
 * AWS may not have shown yet when `find` was called before.
 */
export async function createdOrFound(
  creating: Promise<string>,
  duplicate: RegExp,
  find: () => Promise<string[]>,
): Promise<string> {
  try {
    return await creating;
  } catch (error) {
    const [existing] = duplicate.test(codeOf(error)) ? await find() : [];
    if (existing) return existing;
    throw error;
  }
}
