import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** The tags of an object as IAM's create calls take them. IAM's tag keys may hold a colon. */
export function tagsOf({ tags }: Pick<Intent<unknown>, "tags">) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The codes with which IAM says that something is not there. */
export const NOT_FOUND = /^NoSuchEntity/;

type Tags = { Key: string | undefined; Value: string | undefined }[] | undefined;

/** The id of an object whose name is fixed, where it is there and its tags say that it was made for this intent. */
export async function findByName(
  { token }: Pick<Intent<unknown>, "token">,
  id: string,
  readTags: () => Promise<Tags>,
): Promise<string[]> {
  try {
    const tags = await readTags();
    return tags?.some(({ Key, Value }) => Key === "gantry:token" && Value === token) ? [id] : [];
  } catch (error) {
    if (NOT_FOUND.test(codeOf(error))) return [];
    throw error;
  }
}
