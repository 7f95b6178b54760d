import { types } from "node:util";
import type { ErrorOutcome } from "../engine/error-policy.js";
import { accessErrors } from "./errors/access.js";
import { notImplemented, passingErrors, refusals, THROTTLED } from "./errors/common.js";
import { computeErrors } from "./errors/compute.js";
import { databaseErrors } from "./errors/databases.js";
import { iamErrors } from "./errors/iam.js";
import { networkErrors } from "./errors/network.js";
import { type ErrorRow, permanent, retry, unlessGone } from "./errors/row.js";
import { scalingErrors } from "./errors/scaling.js";
import { RateLimited } from "./rate-limit/rate-limited-client.js";

/** An error of the AWS SDK. */
export interface AwsError extends Error {
  $metadata: { httpStatusCode?: number; attempts?: number };
  /** The action that was called, such as `ec2:RunInstances`. */
  action?: string;
  /** True if the call went to the endpoint in `AWS_ENDPOINT_URL` and not to AWS. */
  isCustomEndpoint?: boolean;
}

function isAwsError(error: unknown): error is AwsError {
  return types.isNativeError(error) && "$metadata" in error;
}

/** The error's code as AWS documents it: the SDK adds "Exception" to some. */
export function codeOf(error: unknown): string {
  return types.isNativeError(error) ? error.name.replace(/Exception$/, "") : "";
}

/** Ignores errors of these codes and texts, by which AWS says that the call already had its effect. */
export async function ignoring(call: Promise<unknown>, codes: RegExp, message = /(?:)/): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAwsError(error) || !codes.test(codeOf(error)) || !message.test(error.message)) throw error;
  }
}

/** Returns the response of a call, or undefined for an error of these codes, by which AWS says that the object does not exist. */
export async function found<T>(call: Promise<T>, codes: RegExp): Promise<T | undefined> {
  try {
    return await call;
  } catch (error) {
    if (codes.test(codeOf(error))) return undefined;
    throw error;
  }
}

/** The error of a kind whose calls succeeded and whose effect AWS does not show yet; the table below classifies it. */
export function notReady(
  code: "InstanceShuttingDown" | "MemberPending" | "MembersLeft" | "NatGatewayDeleting",
): AwsError {
  return Object.assign(new Error("not ready"), { name: code, $metadata: {} });
}

/** The error that ended a launch of a scaling group, which AWS reports as a sentence without a code. */
export function launchFailure(message: string): AwsError {
  return Object.assign(new Error(message), { name: "LaunchFailed", $metadata: {} });
}

/**
 * Every row, in order: the first that matches applies. The codes are from the error pages of the services' API
 * reference.
 */
export const ERROR_ROWS: readonly ErrorRow[] = [
  ...passingErrors,
  ...accessErrors,
  ...iamErrors,
  ...networkErrors,
  ...computeErrors,
  ...scalingErrors,
  ...databaseErrors,
  ...refusals,
];

/** The only part of AWS's text that a message repeats. */
const DENIED_ACTION = /not authorized to perform: ([a-z0-9-]+:[A-Za-z0-9]+)(?![\w:])/;

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
    return {
      kind: "wait",
      wait: { reason: "a free slot for calls to AWS", retryInSeconds: error.seconds, limitMinutes },
    };
  }
  if (!isAwsError(error)) return undefined;
  const facts = { code: codeOf(error), action: actionOf(error), ...textsOf(error) };
  const system = (error as NodeJS.ErrnoException).code ?? "";
  if (NETWORK.test(error.name) || NETWORK.test(system)) return retry("AWS is unreachable")(facts);
  const status = error.$metadata.httpStatusCode ?? 0;
  if (status === 501 || isUnreadableFailure(error)) return notImplemented(facts);
  const row = rowOf(error);
  if (row) return row[1](facts);
  if (status >= 500 || status === 0) return retry("AWS repeatedly reported an internal error")(facts);
  return unlessGone(permanent(({ code }) => `AWS rejected the operation (${code})`))(facts);
}

const inputs = new WeakMap<Error, object>();

/** Remembers the parameters of the call that failed. They are no property of the error, which logs would show. */
export function recordInput(error: Error, input: object): void {
  inputs.set(error, input);
}

/** Ids are no longer than this; other texts, such as documents, are not searched. */
const MAX_ID_LENGTH = 256;

function textsOf(error: AwsError): { words: string[]; parameters: string[] } {
  const words = partsOf(error.message.match(/[\w.:/+=@-]+/g) ?? []);
  return { words, parameters: partsOf(textsIn(inputs.get(error))) };
}

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return value.length > MAX_ID_LENGTH ? [] : value.split(",");
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The texts, and the names at the end of those that are ARNs. */
function partsOf(texts: string[]): string[] {
  const trimmed = texts.map((text) => text.replace(/[.:]+$/, ""));
  return [...new Set(trimmed.flatMap((text) => [text, text.slice(text.lastIndexOf("/") + 1)]))].filter(Boolean);
}

/** The names of the errors that the SDK throws if it can parse neither XML nor JSON. */
const UNREADABLE = /^(Error|SyntaxError)$/;

/**
 * moto answers a call that it does not implement with a web page and status 500. A gateway in front of AWS could send the
 * same, so only an endpoint in AWS's place counts.
 */
function isUnreadableFailure({ name, $metadata, isCustomEndpoint }: AwsError): boolean {
  return isCustomEndpoint === true && $metadata.httpStatusCode === 500 && UNREADABLE.test(name);
}

/** The outcome of an attempt at a call that failed, as metrics name it. */
export function outcomeOf(error: unknown): "throttled" | "refused" | "failed" {
  if (THROTTLED.test(codeOf(error))) return "throttled";
  const status = isAwsError(error) ? (error.$metadata.httpStatusCode ?? 0) : 0;
  return status >= 400 && status < 500 ? "refused" : "failed";
}

/** True if AWS refused an attempt at a call, so that it changed nothing; false for a request that timed out on its way. */
export function isRefusal(error: unknown): boolean {
  return isAwsError(error) && !NETWORK.test(error.name) && outcomeOf(error) !== "failed";
}

/** True if AWS refused a call at its only attempt: an attempt before that one might have had an effect. */
export function isOnlyRefusal(error: unknown): boolean {
  return isRefusal(error) && (error as AwsError).$metadata.attempts === 1;
}

const DENIED =
  /^(AccessDenied|UnauthorizedOperation|AuthFailure|OptInRequired|RegionDisabled|InvalidClientTokenId|UnrecognizedClient)/;

/** The sentence of an error by which AWS denies a region to an account; undefined for any other error. */
export function denialOf(error: unknown): string | undefined {
  const outcome = DENIED.test(codeOf(error)) ? classifyAwsError(error) : undefined;
  return outcome?.kind === "permanent" ? outcome.message : undefined;
}

/** The row that applies to an error; undefined if no row was written for it. */
export function rowOf(error: Error): ErrorRow | undefined {
  const code = codeOf(error);
  return ERROR_ROWS.find(([codes, , message]) => codes.test(code) && (!message || message.test(error.message)));
}

/** The action that AWS denied, from its message if that names one, else the action that was called. */
function actionOf(error: AwsError): string {
  return DENIED_ACTION.exec(error.message)?.[1] ?? error.action ?? "";
}
