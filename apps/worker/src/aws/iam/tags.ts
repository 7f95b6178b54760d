import type { Intent } from "../../engine/cloud-kind.js";

/** The tags of an object as IAM's create calls take them. IAM's tag keys may hold a colon. */
export function tagsOf({ tags }: Pick<Intent<unknown>, "tags">) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** True where the tags are those of the object that was made for this intent. */
export function isMadeFor(
  { token }: Pick<Intent<unknown>, "token">,
  tags: { Key: string | undefined; Value: string | undefined }[] | undefined,
): boolean {
  return tags?.some(({ Key, Value }) => Key === "gantry:token" && Value === token) ?? false;
}
