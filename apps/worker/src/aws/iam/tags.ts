import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** An intent's tags in the form of the create calls of IAM and RDS. */
export function tagsOf({ tags }: Pick<Intent<unknown>, "tags">) {
  return Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
}

/** The codes by which IAM says that an object does not exist. */
export const NOT_FOUND = /^NoSuchEntity/;

type Tags = { Key: string | undefined; Value: string | undefined }[] | undefined;

/** The id of an object of a fixed name, if it exists and its tags name the intent. */
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
