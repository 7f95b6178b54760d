import type { ResourceType, TagSpecification } from "@aws-sdk/client-ec2";
import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** The tags of an object as EC2's create calls take them. */
export function tagSpecification(type: ResourceType, { tags }: Pick<Intent<unknown>, "tags">): TagSpecification[] {
  return [{ ResourceType: type, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }];
}

/** The filter that finds what was made for an intent, by its tag. */
export function tokenFilter({ token }: Pick<Intent<unknown>, "token">) {
  return { Filters: [{ Name: "tag:gantry:token", Values: [token] }] };
}

/** The ids in a describe call's answer, as far as it has them. */
export function definedIds(ids: (string | undefined)[] | undefined): string[] {
  return (ids ?? []).filter((id) => id !== undefined);
}

/** The id in a create call's answer. */
export function requireId(id: string | undefined): string {
  if (!id) throw new Error("AWS answered a create without an id");
  return id;
}

/** A name that is no other object's, however often and by whomever its beginning is used. */
export function uniqueName({ token, params }: Pick<Intent<{ name: string }>, "token" | "params">): string {
  return `${params.name}-${token}`;
}

/**
 * The id of what a create makes. One that is refused as a duplicate gives what an earlier try has made, which AWS may
 * not have shown yet when it was looked for.
 */
export async function createdOrFound(
  creating: Promise<string>,
  duplicate: RegExp,
  find: () => Promise<string[]>,
): Promise<string> {
  try {
    return await creating;
  } catch (error) {
    const [found] = duplicate.test(codeOf(error)) ? await find() : [];
    if (found) return found;
    throw error;
  }
}
