import { Conflict, ConnectionLost, Forbidden, GantryError, NotFound, Unauthorized, Unavailable } from "@gantry/client";
import type { Flag } from "../command-table.js";
import { CommandError } from "../exit-codes.js";

/**
 * Says what failed in the words of the tools: the API's sentence, the fields, what is in the way, and what to do.
 *
 * @param flags of the operation that failed
 */
export function errorText(error: unknown, flags: readonly Flag[] = []): string {
  if (error instanceof CommandError)
    return [error.message, ...error.hints].map((line) => inFields(line, flags)).join("\n");
  if (!(error instanceof GantryError)) return (error as Error).message;
  return [
    error.message,
    ...error.details.map(({ path, message }) => (message.startsWith(path) ? message : `${path}: ${message}`)),
    ...error.blocking.map((url) => `in the way: ${toolThatReads(url)}`),
    ...waysOn(error),
    ...(error.traceId ? [`trace ${error.traceId}`] : []),
  ].join("\n");
}

function waysOn(error: GantryError): string[] {
  if (error instanceof Unauthorized) return ["The token of this server is no longer good: its user signs in again."];
  if (error instanceof Forbidden) return ["The token of this server may not do this: ask its user."];
  if (error instanceof NotFound) return ["find and list_records show what there is."];
  if (error instanceof Conflict) return error.blocking.length > 0 ? [] : ["get_record shows the state of the record."];
  if (error instanceof Unavailable || error instanceof ConnectionLost)
    return ["Gantry was not reached. Repeat the call; run_plan with the same plan_id does nothing twice."];
  return [];
}

/** `http://…/networks/3` → `get_record networks 3` */
function toolThatReads(url: string): string {
  const [collection = "", id] = url.split("/").slice(-2);
  return `get_record ${collection.replaceAll("_", "-")} ${id}`;
}

/** `--cidr` → `network.cidr` */
function inFields(text: string, flags: readonly Flag[]): string {
  return text.replace(/--([a-z][a-z-]*[a-z])/g, (flag, name: string) => {
    const known = flags.find((each) => each.name === name || `${each.name}-stdin` === name);
    return known ? known.path.join(".") : name === "account" ? name : flag;
  });
}
