import type { Model, Row } from "@gantry/db";
import type { Caller } from "../http/caller.js";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.js";
import type { Reply } from "../http/reply.js";
import type { Selection } from "../http/rows.js";
import { childRows, type ParentOf } from "./child-rows.js";

type Owned = Parameters<Caller["find"]>[0];

/** Declares the endpoint that shows one record of the caller's accounts; the route's parameter is its id. */
export function showRecord<M extends Owned>(
  route: Route,
  summary: string,
  reply: Reply<Row<NoInfer<M>>>,
  model: M,
): Endpoint {
  return endpoint({ route, summary, reply, handle: ({ params, caller }) => caller.find(model, idIn(params)) });
}

/** Declares the endpoint that lists the records of the caller's accounts. */
export function listRecords<M extends Owned>(
  route: Route,
  summary: string,
  reply: Reply<Selection<NoInfer<M>>>,
  model: M,
): Endpoint {
  return endpoint({ route, summary, reply, handle: ({ caller }) => caller.all(model) });
}

/**
 * Declares the endpoint that lists the records of one parent, whose id is the route's parameter.
 *
 * @param operation its name in generated clients, where the route gives no good one
 */
export function listChildren<M extends Model>(
  route: Route,
  summary: string,
  reply: Reply<Selection<NoInfer<M>>>,
  model: M,
  parent: ParentOf<M>,
  operation?: string,
): Endpoint {
  const handle = ({ params, caller }: { params: Record<string, string>; caller: Caller }) =>
    childRows(caller, model, { [parent]: idIn(params) } as Record<ParentOf<M>, string>);
  return endpoint({ route, summary, reply, handle, ...(operation && { operation }) });
}

/** The value of a route's only parameter. */
export function idIn(params: Record<string, string>): string {
  return Object.values(params)[0] ?? "";
}
