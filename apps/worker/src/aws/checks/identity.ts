import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { classifyAwsError, codeOf } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { type Check, check, checked, type Outcome } from "./check.js";
import { demandsExternalId } from "./external-id.js";

/** If this check fails, the others are skipped. */
export const CREDENTIALS = "credentials";

/** Errors of the worker and not of the provider. A Request retries them; a check reports them. */
const OPERATORS = /^(WorkerWithoutIdentity|RequestExpired|RequestTimeTooSkewed|RequestInTheFuture)$/;

/** The greatest difference of clocks that AWS accepts in a signature is five minutes. */
const CLOCK_WARNING_SECONDS = 60;
const CLOCK_LIMIT_SECONDS = 300;

interface Identity {
  /** The role to assume; null for an access key and for a shared provider. */
  roleArn: string | null;
  /** True for the worker's own identity; the operator chose its name. */
  shared: boolean;
}

/** The identity of the provider's credentials in AWS. */
export async function checkCredentials(aws: Aws, { roleArn, shared }: Identity): Promise<Check[]> {
  let date: string | undefined;
  const identify = new GetCallerIdentityCommand({});
  identify.middlewareStack.add(
    (next) => async (args) => {
      const result = await next(args);
      date = (result.response as { headers?: Record<string, string> }).headers?.date;
      return result;
    },
    { step: "deserialize", priority: "low" },
  );
  try {
    const { Arn = "" } = await aws.sts.send(identify);
    return [check(CREDENTIALS, null, shared ? SHARED : identified(Arn)), check("clock", null, clock(date))];
  } catch (error) {
    const outcome = classifyAwsError(error);
    const code = codeOf(error);
    const isOperators = OPERATORS.test(code);
    if (
      !outcome ||
      outcome.kind === "wait" ||
      (outcome.kind === "retry" && !isOperators && code !== "RoleNotAssumed")
    ) {
      throw error;
    }
    const line = { result: "fails", reason: `${outcome.message} (${code})` } as const;
    const remedy = roleArn ? `Add the workers' identity and the external id to the role's trust policy` : "Use a role";
    return [check(CREDENTIALS, null, isOperators ? { ...line, who: "operator" } : { ...line, remedy, who: "owner" })];
  }
}

const SHARED: Outcome = { reason: "The provider is shared: Gantry uses its own identity" };

function identified(arn: string): Outcome {
  const reason = `Gantry acts as ${arn}`;
  if (!arn.endsWith(":root")) return { reason };
  return { result: "warning", reason: `${reason}, which has every permission`, remedy: "Use a role", who: "owner" };
}

function clock(date: string | undefined): Outcome {
  const skew = Math.round((Date.parse(date ?? "") - Date.now()) / 1000);
  if (Number.isNaN(skew)) return { result: "warning", reason: "AWS did not send a date" };
  const seconds = Math.abs(skew);
  const reason = `The worker's clock differs from AWS's clock by ${seconds} s`;
  if (seconds < CLOCK_WARNING_SECONDS) return { reason };
  const result = seconds < CLOCK_LIMIT_SECONDS ? "warning" : "fails";
  return {
    result,
    reason: `${reason}; AWS rejects more than 300 s`,
    remedy: "Synchronize the clock (NTP)",
    who: "operator",
  };
}

/** Returns whether AWS refuses the role to a caller with another external id than the account's. */
export async function checkExternalId(aws: Aws, role: Identity & { externalId: string }): Promise<Check> {
  const { roleArn, externalId } = role;
  if (role.shared) return check("external id", null, { reason: "The provider is shared: it has no role" });
  if (!roleArn) {
    const reason = "The provider uses an access key, which never expires and does not require an external id";
    return check("external id", null, { result: "warning", reason, remedy: "Use a role", who: "owner" });
  }
  return checked("external id", null, async () => {
    if (await demandsExternalId(aws, roleArn)) {
      return { reason: "AWS denies the role to callers with a different external id" };
    }
    return {
      result: "fails",
      reason: "The role can be assumed with any external id: another account of this Gantry could use it as its own",
      remedy: `Add to its trust policy: "Condition": {"StringEquals": {"sts:ExternalId": "${externalId}"}}`,
      who: "owner",
    };
  });
}
