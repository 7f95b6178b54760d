import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** The codes by which RDS says that an object does not exist. */
export const NOT_FOUND = /^DB\w*NotFound(Fault)?$/;

/**
 * The identifier of the object for an intent. No other object can have it, since it contains the intent's token. It begins
 * with a letter and is shorter than RDS's limit of 63 characters.
 */
export function identifierOf({ token }: Pick<Intent<unknown>, "token">): string {
  return `gantry-${token}`;
}

/** The identifier of an intent's object, if `describe` finds one of that name. */
export async function findByIdentifier(
  intent: Pick<Intent<unknown>, "token">,
  describe: (identifier: string) => Promise<unknown[] | undefined>,
): Promise<string[]> {
  const identifier = identifierOf(intent);
  try {
    return (await describe(identifier))?.length ? [identifier] : [];
  } catch (error) {
    if (NOT_FOUND.test(codeOf(error))) return [];
    throw error;
  }
}

/** A random password, to be replaced by the real one later. RDS accepts no `/`, `@`, `"` or space in passwords. */
export function throwawayPassword(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
}
