import type { ResourceType, TagSpecification } from "@aws-sdk/client-ec2";
import type { Intent } from "../../engine/cloud-kind.js";

/** The tags of an object as EC2's create calls take them. */
export function tagged(type: ResourceType, { tags }: Pick<Intent<unknown>, "tags">): TagSpecification[] {
  return [{ ResourceType: type, Tags: Object.entries(tags).map(([Key, Value]) => ({ Key, Value })) }];
}

/** The filter that finds what was made for an intent, by its tag. */
export function madeFor({ token }: Pick<Intent<unknown>, "token">) {
  return { Filters: [{ Name: "tag:gantry:token", Values: [token] }] };
}

/** The ids in a describe call's answer, as far as it has them. */
export function idsIn(ids: (string | undefined)[] | undefined): string[] {
  return (ids ?? []).filter((id) => id !== undefined);
}

/** The id in a create call's answer. */
export function idIn(id: string | undefined): string {
  if (!id) throw new Error("AWS answered a create without an id");
  return id;
}
