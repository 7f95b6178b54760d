import type { Tx } from "@gantry/db";
import type { z } from "zod";
import type { Access, Caller } from "./caller.js";
import type { AppContext } from "./context.js";
import type { Reply } from "./reply.js";
import type { Open } from "./request-opener.js";
import type { Link } from "./resource.js";

type Verb = "GET" | "POST" | "PUT" | "DELETE";
export type Route = `${Verb} /${string}`;

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** What a handler is given. */
export interface Context<Path extends string, Body, Query, Asker> {
  params: Record<ParamNames<Path>, string>;
  body: Body;
  query: Query;
  caller: Asker;
  /** The transaction, where the endpoint has one; the database otherwise. */
  db: Tx;
  /** Accepts a Request; the last thing a handler does. */
  open: Open;
  link: Link;
  /** Tells workers of a Request that is due, after the commit. */
  notify(request: { id: string; accountId: string; wake: number }): void;
  appContext: AppContext;
}

interface Definition<Path extends Route, Body extends z.ZodType, Query extends z.ZodRawShape, May, Output> {
  route: Path;
  /** What it does, in a few words, for the documentation. */
  summary: string;
  /** The scope and role that it asks for: by its verb, unless said. `anyone` needs no token. */
  access?: May;
  /** The class of its rate limit, where that is not of its access: `report` for machines that tell what they did. */
  rate?: "report";
  body?: Body;
  query?: Query;
  /** True where it takes locks or writes several times: the handler then runs in one transaction. */
  transaction?: boolean;
  /** True where the answer shows a secret: nothing on the way may keep it. */
  secret?: boolean;
  reply: Reply<Output>;
  handle(
    context: Context<
      Path,
      z.output<Body>,
      z.output<z.ZodObject<Query>>,
      May extends "anyone" ? Caller | undefined : Caller
    >,
  ): Output | Promise<Output>;
}

/** An endpoint as the frame sees it, its own types left behind. */
export interface Endpoint {
  route: Route;
  method: Verb;
  path: string;
  summary: string;
  access: Access | "anyone";
  rate?: "report";
  body?: z.ZodType;
  query?: z.ZodRawShape;
  transaction: boolean;
  secret: boolean;
  reply: Reply<unknown>;
  handle(context: Context<string, unknown, Record<string, unknown>, Caller | undefined>): unknown;
}

/** Declares an endpoint: one object for its route, validation, types, authorization, reply and OpenAPI. */
export function endpoint<
  Path extends Route,
  Output,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodRawShape = Record<never, never>,
  May extends Access | "anyone" = Access,
>(definition: Definition<Path, Body, Query, May, Output>): Endpoint {
  const [method, path] = definition.route.split(" ") as [Verb, string];
  const access = definition.access ?? (method === "GET" ? "read" : "write");
  const { transaction = false, secret = false } = definition;
  // The frame gives each handler what its own schemas parsed.
  return { ...definition, method, path, access, transaction, secret } as unknown as Endpoint;
}
