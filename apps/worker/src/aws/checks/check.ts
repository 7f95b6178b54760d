import { classifyAwsError, codeOf } from "../aws-errors.js";

/** One line of the report on a provider. */
export interface Check {
  /** What was checked. */
  check: string;
  /** The region; null for what concerns the AWS account or Gantry as a whole. */
  region: string | null;
  result: "ok" | "warning" | "fails";
  reason: string;
  /** What to do; null if nothing is to be done. */
  remedy: string | null;
  /** Who can do it: the owner of the AWS account, the operator of Gantry, or AWS. */
  who: "owner" | "operator" | "aws" | null;
}

export type Outcome = Pick<Check, "reason"> & Partial<Pick<Check, "result" | "remedy" | "who">>;

export const DENIED = /^(UnauthorizedOperation|AccessDenied|Client\.UnauthorizedOperation)/;

/** A line of the report; `ok` unless the outcome says otherwise. */
export function check(name: string, region: string | null, outcome: Outcome): Check {
  return { check: name, region, result: "ok", remedy: null, who: null, ...outcome };
}

/**
 * Looks at one subject and returns its line. An answer by which AWS refuses the read itself becomes a warning; the other
 * errors are thrown, so that the engine tries again.
 */
export async function checked(name: string, region: string | null, look: () => Promise<Outcome>): Promise<Check> {
  try {
    return check(name, region, await look());
  } catch (error) {
    return check(name, region, unchecked(error));
  }
}

/** The outcome if AWS refused a read. @throws the error if it may pass, or is not AWS's */
export function unchecked(error: unknown): Outcome {
  if (classifyAwsError(error)?.kind !== "permanent") throw error;
  const code = codeOf(error);
  return DENIED.test(code)
    ? {
        result: "warning",
        reason: `This could not be checked: the provider's credentials lack read permission (${code})`,
        remedy: "Grant Gantry's role the read actions of its policy",
        who: "owner",
      }
    : { result: "warning", reason: `This could not be checked: AWS returned ${code}` };
}
