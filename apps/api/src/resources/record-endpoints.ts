import type { Db, Model, Row, Tx } from "@gantry/db";
import { type InputOf, type ModelOf, modelOf, type RequestType, type ResourceType } from "@gantry/resources";
import type { Access, Caller, Deletable } from "../http/auth/caller.js";
import { type Endpoint, endpoint, type Route } from "../http/endpoint.js";
import { empty, type Reply, requested } from "../http/reply/reply.js";
import { alreadyDeleted } from "../http/rows/live-rows.js";
import type { Selection } from "../http/rows/rows.js";
import { childRows, type ParentOf } from "./child-rows.js";
import { removeLeaksOf } from "./leaks.js";

type Owned = Parameters<Caller["find"]>[0];

/** Declares the endpoint that shows one record of the caller's accounts; the route's parameter is its id. */
export function showRecord<M extends Owned>(
  route: Route,
  summary: string,
  reply: Reply<Row<NoInfer<M>>>,
  model: M,
): Endpoint {
  return endpoint({ route, summary, reply, handle: ({ params, caller }) => caller.find(model, onlyParameter(params)) });
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
 * @param operation its name in generated clients, if the route yields no good one
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
    childRows(caller, model, { [parent]: onlyParameter(params) } as Record<ParentOf<M>, string>);
  return endpoint({ route, summary, reply, handle, ...(operation && { operation }) });
}

/** A rule about a record whose row is locked until the transaction ends; it throws 409 if the record is needed. */
type Rule<M extends Model> = (db: Tx, row: Row<M>) => Promise<void>;

interface Removal<M extends Model> {
  summary: string;
  model: M;
  access?: Access;
  check?: Rule<M>;
  /** What is deleted with the record. */
  also?: Rule<M>;
}

/** Declares the endpoint that marks a record as deleted; the route's parameter is its id. */
export function removeRecord<M extends Deletable>(route: Route, removal: Removal<M>): Endpoint {
  const { model, check, also, ...declared } = removal;
  return endpoint({
    ...declared,
    route,
    transaction: true,
    reply: empty,
    handle: async ({ params, caller, db }) => {
      const row = await caller.find(model, onlyParameter(params), "update");
      const { id, deletedAt } = row as Row<Deletable>;
      if (deletedAt) throw alreadyDeleted(model, id);
      await check?.(db, row);
      await markDeleted(db, model, id);
      await also?.(db, row);
    },
  });
}

// The models' methods have no common type.
async function markDeleted(db: Tx, model: Deletable, id: string | number): Promise<void> {
  const rows = db[model] as unknown as Db["application"];
  await rows.update({ where: { id: id as number }, data: { deletedAt: new Date() } });
}

type DeletableType = { [T in ResourceType]: ModelOf<T> extends Deletable ? T : never }[ResourceType];

interface RemovalByRequest<T extends DeletableType, R extends RequestType> {
  summary: string;
  type: T;
  /** The type of the Request, whose input is empty. */
  request: Record<string, never> extends InputOf<R> ? R : never;
  alsoAs?: Readonly<Record<string, Route>>;
  access?: Access;
  check?: Rule<ModelOf<T>>;
}

/**
 * Declares the endpoint that removes a record and its cloud objects by a Request; the route's parameter is the record's id.
 * For a deleted record the Request removes what others left in AWS.
 */
export function removeByRequest<T extends DeletableType, R extends RequestType>(
  route: Route,
  { type, request, check, ...declared }: RemovalByRequest<T, R>,
): Endpoint {
  return endpoint({
    ...declared,
    route,
    transaction: true,
    reply: requested(request as RequestType, "remove_leaked_resources"),
    handle: async ({ params, caller, db, createRequest }) => {
      const row = await caller.find(modelOf(type), onlyParameter(params), "update");
      const { id, accountId, deletedAt } = row as Row<Deletable>;
      if (deletedAt) return removeLeaksOf(db, createRequest, type, { id, accountId });
      await check?.(db, row);
      return createRequest(request as RequestType, { accountId, resource: { type, id }, input: {} });
    },
  });
}

/** The value of a route's only parameter. */
export function onlyParameter(params: Record<string, string>): string {
  return Object.values(params)[0] ?? "";
}
