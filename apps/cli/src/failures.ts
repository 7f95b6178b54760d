import {
  Conflict,
  ConnectionLost,
  Forbidden,
  type GantryError,
  Invalid,
  type LeakedResource,
  NotFound,
  type Request,
  RequestFailed,
  TooMany,
  Unauthorized,
  Unavailable,
  version,
  WaitTimeout,
} from "@gantry/client";
import type { CommandFacts } from "./command-table.js";
import { CommandError, EXIT } from "./exit-codes.js";
import { nouns } from "./generated/nouns.js";
import { singular } from "./names.js";
import { aboutFlags, inCommands, missingFlags } from "./sentences.js";

const MOST_IN_THE_WAY = 5;

/** What the user reads of a failure, and the exit code. */
export interface Failure {
  message: string;
  hints: string[];
  exitCode: number;
}

/** The command that failed. */
interface Failed {
  facts?: CommandFacts | undefined;
  /** All words of the command line. */
  words?: readonly string[];
}

/** Says what failed in the words of the command: with flags and commands instead of the API's, and what to do next. */
export async function failureOf(error: unknown, failed: Failed = {}): Promise<Failure> {
  if (error instanceof CommandError)
    return { message: error.message, hints: [...error.hints], exitCode: error.exitCode };
  if (error instanceof WaitTimeout) return waiting(error);
  if (error instanceof RequestFailed) return ended(error);
  if (error instanceof Invalid) return invalid(error, failed);
  if (error instanceof Unauthorized) return refusal(error, EXIT.signIn, ["gantry login"]);
  if (error instanceof Forbidden) return refusal(error, EXIT.notAllowed, [waysToBeAllowed(error)]);
  if (error instanceof NotFound) return notFound(error);
  if (error instanceof Conflict) return refusal(error, EXIT.conflict, hintsOf(error, failed));
  if (error instanceof TooMany)
    return refusal(error, error.code === "too_many_open_requests" ? EXIT.conflict : EXIT.unreachable, []);
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
    hints: waysOn(request),
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
      ...(wasCancelled ? [] : [`gantry requests why ${request.id}`]),
      ...(!wasCancelled && request.can_retry ? [`gantry requests retry ${request.id}`] : []),
    ],
    exitCode: leaked.length > 0 ? EXIT.leaked : wasCancelled ? EXIT.cancelled : EXIT.failed,
  };
}

/** The commands with which an unfinished Request goes on. */
export function waysOn({ id, can_cancel: canCancel }: Pick<Request, "id"> & Partial<Request>): string[] {
  return [`gantry requests watch ${id}`, ...(canCancel === false ? [] : [`gantry requests cancel ${id}`])];
}

/** A line for every resource that a Request could not remove. */
export function leftInAws(leaked: readonly LeakedResource[]): string[] {
  return leaked.map(({ kind, id, region }) => `left in AWS: ${kind} ${id ?? "without an id"} in ${region}`);
}

async function invalid(error: Invalid, { facts, words }: Failed): Promise<Failure> {
  const flags = facts?.flags ?? [];
  const lines = await Promise.all(error.details.map((detail) => aboutFlags(detail, flags, words)));
  const lacking = error.missing === undefined ? [] : missingFlags(error.missing, flags);
  return {
    message: lines.length > 0 ? lines.join("\n") : await inCommands(error.message),
    hints: lacking.length > 1 ? [`give some of ${lacking.join(", ")}`] : [],
    exitCode: EXIT.wrongUse,
  };
}

async function refusal(error: Pick<GantryError, "message">, exitCode: number, hints: string[]): Promise<Failure> {
  return { message: await inCommands(error.message), hints, exitCode };
}

function waysToBeAllowed({ message }: Forbidden): string {
  const [, scope] = /lacks the scope (admin|secrets)/.exec(message) ?? [];
  return scope
    ? `gantry login --${scope} makes a token that may do it`
    : "gantry whoami shows your scopes and accounts";
}

/** A path that the API does not have is one of another version. */
function notFound(error: NotFound): Promise<Failure> {
  const isPath = error.details.length === 0 && error.apiVersion !== version;
  if (!isPath) return refusal(error, EXIT.notFound, []);
  const api = error.apiVersion ? `is version ${error.apiVersion}` : "is older than version 0.2.0";
  const message = `this Gantry ${api} and has no such operation; the command is version ${version}`;
  return refusal({ message }, EXIT.unreachable, [`npx @gantry/cli@${error.apiVersion ?? "0.1"} fits it`]);
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

/** What the sentence of a conflict advises; or else the records that are in the way, and what can be done with them. */
function hintsOf({ message, blocking }: Conflict, { facts }: Failed): string[] {
  const advice = adviceIn(message);
  if (advice) return [advice];
  // Only what keeps a removal from happening has to go.
  const hasContents = facts?.method === "DELETE" && / still contains: /.test(message);
  const lines = blocking.slice(0, MOST_IN_THE_WAY).map((url) => {
    const [collection = "", id = ""] = url.split("/").slice(-2);
    const noun = collection.replaceAll("_", "-");
    const verb = noun === "requests" ? "watch" : hasContents && canBe(noun, "delete") ? "delete" : "show";
    const command = noun === "requests" || canBe(noun, verb) ? `    gantry ${noun} ${verb} ${id}` : "";
    return `${singular(noun)} ${id}${command}`;
  });
  const more = blocking.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])];
}

/** The command of sentences that end in `deprovision it first`, `delete database service 3 instead` or `retry 4 instead`. */
function adviceIn(message: string): string | undefined {
  const [, subject = "", id, verb = ""] = /^([a-z ]+) (\S+) .*; (\w+) it first$/.exec(message) ?? [];
  if (id) return commandOn(subject, verb, id);
  const [, otherVerb = "", other = "", otherId] = /; (\w+) (?:([a-z ]+) )?(\S+) instead$/.exec(message) ?? [];
  return otherId && /\d/.test(otherId) ? commandOn(other || "request", otherVerb, otherId) : undefined;
}

function commandOn(subject: string, verb: string, id: string): string | undefined {
  const noun = Object.keys(nouns).find((each) => singular(each) === subject.trim());
  return noun && canBe(noun, verb) ? `gantry ${noun} ${verb} ${id}` : undefined;
}

function canBe(noun: string, verb: string): boolean {
  return nouns[noun]?.verbs.includes(verb) === true;
}
