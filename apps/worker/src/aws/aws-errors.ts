import { types } from "node:util";
import type { ErrorOutcome } from "../engine/error-policy.js";
import { RateLimited } from "./rate-limit/rate-limited-client.js";

/** An error of the AWS SDK. */
export interface AwsError extends Error {
  $metadata: { httpStatusCode?: number; attempts?: number };
}

function isAwsError(error: unknown): error is AwsError {
  return types.isNativeError(error) && "$metadata" in error;
}

/** The error's code as AWS documents it: the SDK adds "Exception" to some. */
export function codeOf(error: unknown): string {
  return types.isNativeError(error) ? error.name.replace(/Exception$/, "") : "";
}

/** Ignores errors of these codes, by which AWS says that the call's effect is there already. */
export async function ignoring(call: Promise<unknown>, codes: RegExp): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAwsError(error) || !codes.test(codeOf(error))) throw error;
  }
}

/** The error of a kind whose calls succeeded and whose effect AWS does not show yet; the table below classifies it. */
export function notReady(
  code: "InstanceShuttingDown" | "InstanceProfileNotShown" | "MemberPending" | "MembersLeft",
): AwsError {
  return Object.assign(new Error("not ready"), { name: code, $metadata: {} });
}

type ErrorRow = [codes: RegExp, outcome: (code: string) => ErrorOutcome];

const wait = (reason: string, retryInSeconds: number, limitMinutes: number): ErrorRow[1] => {
  return () => ({ kind: "wait", wait: { reason, retryInSeconds, limitMinutes } });
};
const permanent = (message: string): ErrorRow[1] => {
  return () => ({ kind: "permanent", message });
};
const retry = (message: string): ErrorRow[1] => {
  return () => ({ kind: "retry", message });
};

// The first matching row applies. Codes: the "Common errors" and "Error codes" pages of each service's API reference.
const ERRORS: ErrorRow[] = [
  [/Throttl|RequestLimitExceeded|TooManyRequests|SlowDown|^Rate/, wait("AWS to take more calls", 5, 60)],
  [
    /^(DependencyViolation|DeleteConflict|ConcurrentModification|VolumeInUse|InvalidIPAddress\.InUse)/,
    wait("AWS to release what depends on it", 3, 10),
  ],
  [/^(IncorrectState|InvalidInstanceID$)/, wait("AWS to finish an earlier change of it", 3, 10)],
  [
    /^Invalid(Vpc|Subnet|Group|RouteTable|Instance|InternetGateway|Allocation)I[Dd]\.NotFound$|^Invalid(VpcID|(Group|Volume|KeyPair)\.NotFound$)/,
    wait("AWS to show what was just made", 2, 5),
  ],
  [/^InstanceShuttingDown$/, wait("AWS to end the instance", 5, 30)],
  [/^InstanceProfileNotShown$/, wait("AWS to show the instance profile everywhere", 5, 2)],
  [
    /^(ScalingActivityInProgress|ResourceContention|ResourceInUse)/,
    wait("AWS to end another change of the group", 5, 30),
  ],
  [/^MemberPending$/, wait("AWS to take an instance into the group", 5, 30)],
  [/^MembersLeft$/, wait("AWS to terminate the group's instances", 5, 30)],
  [/^ServiceLinkedRoleFailure/, wait("AWS to set up its role for auto scaling", 5, 10)],
  [
    /^InvalidDB(Instance|Cluster|Snapshot|ClusterSnapshot|SubnetGroup|ParameterGroup)State/,
    wait("the database to reach a state in which AWS allows this", 15, 90),
  ],
  [/^DB\w*NotFound/, wait("AWS to show what was just made", 5, 5)],
  [
    /^(InsufficientInstanceCapacity|InsufficientHostCapacity|InsufficientDB\w*Capacity)/,
    wait("AWS to have capacity", 60, 30),
  ],
  [
    /LimitExceeded(Fault)?$|^(VpcLimitExceeded|AddressLimitExceeded|\w*QuotaExceeded)/,
    permanent("A quota of the AWS account is used up; raise it with AWS or remove what is not needed"),
  ],
  [
    /^(EntityAlreadyExists|Invalid(Group|KeyPair|Permission)\.Duplicate|.*AlreadyExists.*)/,
    permanent("An object of this name already exists in the AWS account and does not belong to this record"),
  ],
  [
    /^(AuthFailure|InvalidClientTokenId|UnrecognizedClient|SignatureDoesNotMatch|ExpiredToken)/,
    permanent("AWS does not accept the provider's credentials"),
  ],
  [
    /^(UnauthorizedOperation|AccessDenied)/,
    permanent("The provider's credentials lack a permission in AWS that this needs"),
  ],
  [/^InvalidSubnet\.Conflict/, permanent("The CIDR overlaps a subnet that the network already has in AWS")],
  [/^InvalidSubnet\.Range/, permanent("The CIDR does not lie inside the network's in AWS")],
  [/^(InvalidAMIID\.|ParameterNotFound)/, permanent("The image for servers does not exist in this region")],
  [/^(Unsupported$|InvalidInstanceType)/, permanent("AWS does not offer this flavor in this zone")],
  [/^IncorrectInstanceState/, permanent("The instance is in no state in which AWS allows this")],
  [/^InvalidKeyPair\.Format$/, permanent("AWS does not accept the public key")],
  [/^(MalformedPolicyDocument)/, permanent("AWS does not accept the policy document")],
  [
    /^DBSubnetGroupDoesNotCoverEnoughAZs/,
    permanent("A database needs subnets in two zones at least; add one in another zone to the network"),
  ],
  [
    /^(StorageTypeNotSupported|InvalidParameterCombination)/,
    permanent("AWS does not offer this combination of engine, version, flavor, storage and zone"),
  ],
  [/^OptInRequired/, permanent("The AWS account has not opted in to this region")],
  [
    /^(InternalError|InternalFailure|ServiceUnavailable|Unavailable|ServiceFailure)/,
    retry("AWS met an internal error again and again"),
  ],
];

const NETWORK =
  /^(TimeoutError|ECONNRESET|ECONNREFUSED|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|RequestTimeout.*|AbortError)$/;

/**
 * The outcome of an error of the AWS SDK, with a message for the Request's owner. The message never repeats AWS's own
 * text, which may contain names and ARNs of other owners.
 *
 * @returns undefined for an error that is not AWS's
 */
export function classifyAwsError(error: unknown): ErrorOutcome | undefined {
  // The Request's deadline ends this wait: other calls to the same AWS account cause it.
  if (error instanceof RateLimited) {
    const limitMinutes = Number.POSITIVE_INFINITY;
    return { kind: "wait", wait: { reason: "its turn to call AWS", retryInSeconds: error.seconds, limitMinutes } };
  }
  if (codeOf(error) === "CredentialsProviderError") {
    return { kind: "permanent", message: "The provider's credentials could not be used" };
  }
  if (!isAwsError(error)) return undefined;
  const system = (error as NodeJS.ErrnoException).code ?? "";
  if (NETWORK.test(error.name) || NETWORK.test(system)) return retry("AWS could not be reached")("");
  const code = codeOf(error);
  for (const [codes, outcome] of ERRORS) if (codes.test(code)) return outcome(code);
  const status = error.$metadata.httpStatusCode ?? 0;
  if (status >= 500 || status === 0) return retry("AWS met an internal error again and again")(code);
  return { kind: "permanent", message: `AWS refused the operation (${code})` };
}
