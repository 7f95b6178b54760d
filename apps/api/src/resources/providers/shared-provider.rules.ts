import type { Provider } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { conflict, type HttpError, invalid, type RecordId } from "../../http/errors/errors.js";
import { CREDENTIALS } from "./provider.credentials.js";

/**
 * Requires that the operator allows providers without credentials, which share the AWS account of Gantry's own workers.
 *
 * @throws 422 if not
 */
export function requireSharedAllowed({ SHARED_PROVIDER }: Pick<Env, "SHARED_PROVIDER">): void {
  if (SHARED_PROVIDER === "allowed") return;
  throw invalid(
    "provider.credentials",
    `${CREDENTIALS}. Without credentials, the provider would share Gantry's own AWS account; Gantry's operator can allow this with SHARED_PROVIDER=allowed`,
  );
}

interface Refused {
  /** What is refused, as the subject of a sentence with "is": it reaches beyond what Gantry made for this account. */
  what: string;
  /** What the caller can do. */
  instead?: string;
}

const OWN_PROVIDER = "use a provider with credentials for your own AWS account";

/**
 * Requires that the provider's AWS account is the customer's own. Every use of a provider that reaches beyond what Gantry made for
 * this account calls it: in the AWS account of a shared provider are objects of other accounts and of the operator.
 *
 * @param at the parameter that asks for it, or the record whose state does
 * @throws 422 for a parameter, 409 for a record
 */
export function requireOwnAwsAccount(
  { id, shared }: Pick<Provider, "id" | "shared">,
  { what, instead = OWN_PROVIDER }: Refused,
  at: string | RecordId,
): void {
  if (!shared) return;
  throw refusal(`${what} is not allowed, because provider ${id} is shared with other accounts; ${instead}`, at);
}

/** As `requireOwnAwsAccount`, for a provider that does not exist yet. */
export function refuseForShared(what: string, path: string): HttpError {
  return refusal(`${what} is not allowed, because a provider without credentials is shared with other accounts`, path);
}

/**
 * Requires a network for resources that would otherwise be in the region's default VPC, which belongs to no account of
 * Gantry.
 */
export function requireNetworkIfShared(provider: Pick<Provider, "id" | "shared">, what: string, at: string | RecordId) {
  const instead = "create a network with POST /networks and use it";
  requireOwnAwsAccount(provider, { what: `${what} outside a network`, instead }, at);
}

function refusal(sentence: string, at: string | RecordId): HttpError {
  return typeof at === "string" ? invalid(at, sentence) : conflict(sentence, { about: at });
}
