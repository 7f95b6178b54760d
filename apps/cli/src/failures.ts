import {
  Conflict,
  ConnectionLost,
  Forbidden,
  type GantryError,
  Invalid,
  type LeakedResource,
  NotFound,
  RequestFailed,
  TooMany,
  Unauthorized,
  Unavailable,
  version,
  WaitTimeout,
} from "@gantry/client";
import type { Flag } from "./command-table.js";
import { CommandError, EXIT } from "./exit-codes.js";
import { singular } from "./names.js";

const MOST_IN_THE_WAY = 5;

/** What the user reads of a failure, and the exit code. */
export interface Failure {
  message: string;
  hints: string[];
  exitCode: number;
}

/**
 * Says what failed in the words of the command: with flags instead of the paths of the API, and what to do next.
 *
 * @param flags of the command that failed
 */
export function failureOf(error: unknown, flags: readonly Flag[] = []): Failure {
  if (error instanceof CommandError)
    return { message: error.message, hints: [...error.hints], exitCode: error.exitCode };
  if (error instanceof WaitTimeout) return waiting(error);
  if (error instanceof RequestFailed) return ended(error);
  if (error instanceof Invalid) return invalid(error, flags);
  if (error instanceof Unauthorized) return refused(error, EXIT.signIn, ["gantry login"]);
  if (error instanceof Forbidden) return refused(error, EXIT.notAllowed, [waysToBeAllowed(error)]);
  if (error instanceof NotFound) return notFound(error);
  if (error instanceof Conflict) return refused(error, EXIT.conflict, inTheWay(error));
  if (error instanceof TooMany)
    return refused(error, error.code === "too_many_open_requests" ? EXIT.conflict : EXIT.unreachable, []);
  if (error instanceof Unavailable || error instanceof ConnectionLost) return lost(error);
  const { name, message, stack } = error as Error;
  const isDefect = !("traceId" in (error as object));
  return {
    message: isDefect ? (stack ?? `${name}: ${message}`) : message,
    hints: traceOf(error as GantryError),
    exitCode: EXIT.failed,
  };
}

function waiting({ request }: WaitTimeout): Failure {
  return {
    message: `waited long enough: the Request is ${request.state}, and goes on`,
    hints: [`gantry requests watch ${request.id}`, `gantry requests cancel ${request.id}`],
    exitCode: EXIT.waitedEnough,
  };
}

function ended({ request, stage, child, leaked, message, ...error }: RequestFailed): Failure {
  const wasCancelled = request.state === "cancelled" || error.code === "request_cancelled";
  const place = [child && `in its part ${child.type.replaceAll("_", " ")}`, stage && `in stage ${stage}`]
    .filter(Boolean)
    .join(", ");
  return {
    message: wasCancelled
      ? "the Request was cancelled"
      : `failed: ${child?.message ?? message}${place ? ` (${place})` : ""}`,
    hints: [
      ...leftInAws(leaked),
      ...(leaked.length > 0 ? [`Gantry tries again; now: gantry requests retry-leaked-resource ${request.id}`] : []),
      ...(wasCancelled ? [] : [`gantry requests why ${request.id}`, `gantry requests retry ${request.id}`]),
    ],
    exitCode: leaked.length > 0 ? EXIT.leaked : wasCancelled ? EXIT.cancelled : EXIT.failed,
  };
}

/** A line for every resource that a Request could not remove. */
export function leftInAws(leaked: readonly LeakedResource[]): string[] {
  return leaked.map(({ kind, id, region }) => `left in AWS: ${kind} ${id ?? "without an id"} in ${region}`);
}

function invalid(error: Invalid, flags: readonly Flag[]): Failure {
  const lines = error.details.map(({ path, message }) => {
    const flag = flags.find((each) => each.path.join(".") === path);
    const sentence = message.startsWith(path) ? message.slice(path.length).replace(/^: /, "") : message;
    return `${flag ? `--${flag.name}` : path}: ${sentence}`;
  });
  return { message: lines.length > 0 ? lines.join("\n") : error.message, hints: [], exitCode: EXIT.wrongUse };
}

function refused(error: Pick<GantryError, "message">, exitCode: number, hints: string[]): Failure {
  return { message: error.message, hints, exitCode };
}

function waysToBeAllowed({ message }: Forbidden): string {
  const [, scope] = /lacks the scope (admin|secrets)/.exec(message) ?? [];
  return scope
    ? `gantry login --${scope} makes a token that may do it`
    : "gantry whoami shows your scopes and accounts";
}

/** A path that the API does not have is one of another version. */
function notFound(error: NotFound): Failure {
  const isPath = error.details.length === 0 && error.apiVersion !== version;
  if (!isPath) return refused(error, EXIT.notFound, []);
  const api = error.apiVersion ? `is version ${error.apiVersion}` : "is older than version 0.2.0";
  const message = `this Gantry ${api} and has no such operation; the command is version ${version}`;
  return refused({ message }, EXIT.unreachable, [`npx @gantry/cli@${error.apiVersion ?? "0.1"} fits it`]);
}

function lost(error: GantryError): Failure {
  const key =
    error.idempotencyKey && error.attempts > 0
      ? [`to repeat it safely: --idempotency-key ${error.idempotencyKey}`]
      : [];
  return {
    message: `Gantry was not reached: ${error.message}`,
    hints: [...key, "gantry doctor"],
    exitCode: EXIT.unreachable,
  };
}

function traceOf({ traceId }: GantryError): string[] {
  return traceId ? [`trace ${traceId}`] : [];
}

/** The first of the records that prevent a call, with the commands that remove them. */
function inTheWay({ blocking }: Conflict): string[] {
  const lines = blocking.slice(0, MOST_IN_THE_WAY).map((url) => {
    const [collection = "", id] = url.split("/").slice(-2);
    const noun = collection.replaceAll("_", "-");
    return `${singular(noun)} ${id}    gantry ${noun} delete ${id}`;
  });
  const more = blocking.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])];
}
