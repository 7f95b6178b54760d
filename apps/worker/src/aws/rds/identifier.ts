import type { Intent } from "../../engine/cloud-kind.js";
import { codeOf } from "../aws-errors.js";

/** The codes with which RDS says that something is not there. */
export const NOT_FOUND = /^DB\w*NotFound(Fault)?$/;

/**
 * The identifier of what is made for an intent. Nobody else can have chosen it, so what bears it is ours. It begins with
 * a letter and is shorter than the 63 characters that RDS takes.
 */
export function identifierOf({ token }: Pick<Intent<unknown>, "token">): string {
  return `gantry-${token}`;
}

/** The identifier that an intent stands for, where `look` finds something of that name. */
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

/** A password that nobody keeps: what it opens is given its real one later. RDS takes none of `/`, `@`, `"` and spaces. */
export function throwawayPassword(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(24))).toString("base64url");
}
