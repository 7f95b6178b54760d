import type { Tx } from "@gantry/db";
import type { Link } from "@gantry/resources";
import { z } from "zod";
import type { AuditEntry } from "./audit/audit.js";
import type { AccessRules } from "./auth/authenticate.js";
import type { Access, Caller } from "./auth/caller.js";
import type { SessionCookie } from "./auth/session-cookie.js";
import type { AppContext } from "./context.js";
import { schemaOfField } from "./input/input.js";
import type { Tolerated } from "./input/tolerated-parameters.js";
import type { CreateRequest } from "./plans/requested.js";
import type { Reply } from "./reply/reply.js";

type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
export type Route = `${Verb} /${string}`;

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The parts of the application that handlers use. */
type HandlerParts = Pick<
  AppContext,
  "completions" | "env" | "identities" | "keys" | "redis" | "throttle" | "trustedIssuers" | "vault"
>;

/** The arguments of a handler. */
export interface Context<Path extends string, Body, Query, AnyCaller, Prepared = undefined> extends HandlerParts {
  params: Record<ParamNames<Path>, string>;
  body: Body;
  query: Query;
  caller: AnyCaller;
  /** What the endpoint's `prepare` returned. */
  prepared: Prepared;
  /** The network address of the caller. */
  address: string;
  /** Returns the cookie of a console session on the caller's connection; undefined if it would not be encrypted. */
  cookie(): SessionCookie | undefined;
  /** The transaction if the endpoint has one, otherwise the database. */
  db: Tx;
  /** Accepts a Request; the last call of a handler. */
  createRequest: CreateRequest;
  link: Link;
  /** A header of the input. */
  header(name: string): string | undefined;
  /** True once the caller's connection is closed: a wait for this answer can end. */
  hasLeft(): boolean;
  /** Lets a Request that waits run now, after the commit. */
  wake(request: { id: string }): void;
  /** Runs `action` once the changes of this call are committed. */
  onCommit(action: () => void): void;
  /** Adds to the call's audit record what the frame cannot derive from the reply and the rows that were found. */
  note(entry: Partial<AuditEntry>): void;
  /** Call it once a caller without a token has signed in, before any change: the idempotency key of the call is this user's. */
  signedIn(userId: string): Promise<void>;
  /** Puts the call's audit record into the chains of these accounts, in addition to the one that the frame finds. */
  concern(accountIds: readonly string[]): void;
}

/** The caller of an endpoint; absent only if the endpoint needs no token. */
type CallerOf<Level> = Level extends "anyone" ? Caller | undefined : Caller;

interface Definition<Path extends Route, Body extends z.ZodType, Query extends z.ZodRawShape, Level, Output, Prepared>
  extends AccessRules {
  route: Path;
  /** Its name in generated clients, if the route yields no good one. */
  operation?: string;
  /** Other routes to the same act, with the same parameters, by their operations' names. */
  alsoAs?: Readonly<Record<string, Route>>;
  /** True if the reply never has a record, since this version does not manage the resource. */
  isAlwaysEmpty?: boolean;
  /** The effect in a few words, for the documentation. */
  summary: string;
  /** The scope and role that the endpoint requires, derived from its verb if absent. `anyone` needs no token. */
  access?: Level;
  body?: Body;
  query?: Query;
  /** Parameters of the body that may be in the query instead; if they are in both, the values must be the same. */
  alsoInQuery?: readonly (keyof z.output<Body> & string)[];
  /** True if the handler takes locks or writes several times: it then runs in one transaction. */
  transaction?: boolean;
  reply: Reply<Output>;
  /** Slow work that needs no transaction, such as hashing a password. It runs before the transaction begins. */
  prepare?(context: PrepareContext<z.output<Body>, CallerOf<Level>>): Promise<Prepared>;
  handle(
    context: Context<Path, z.output<Body>, z.output<z.ZodObject<Query>>, CallerOf<Level>, Prepared>,
  ): Output | Promise<Output>;
}

/** The arguments of `prepare`; `db` is the database, outside any transaction. */
export interface PrepareContext<Body, AnyCaller>
  extends Pick<
    Context<string, Body, unknown, AnyCaller>,
    "body" | "caller" | "address" | "cookie" | "db" | "identities" | "throttle" | "trustedIssuers"
  > {
  /** True if the caller's browser and the API run on the same machine. */
  isLocal: boolean;
}

/** An endpoint without its own types, as the frame runs it. */
export interface Endpoint extends AccessRules {
  route: Route;
  method: Verb;
  path: `/${string}`;
  operation?: string;
  alsoAs?: Readonly<Record<string, Route>>;
  /** The endpoint of which this one is only another name. */
  aliasOf?: Pick<Endpoint, "method" | "path" | "operation">;
  isAlwaysEmpty?: boolean;
  summary: string;
  access: Access | "anyone";
  body?: z.ZodType;
  query?: z.ZodRawShape;
  alsoInQuery?: readonly string[];
  transaction: boolean;
  reply: Reply<unknown>;
  /** What it accepts and ignores. */
  tolerated?: Tolerated[];
  prepare?(context: PrepareContext<unknown, Caller | undefined>): Promise<unknown>;
  handle(context: Context<string, unknown, Record<string, unknown>, Caller | undefined, unknown>): unknown;
}

/** Declares an endpoint: one object for route, validation, types, authorization, reply and OpenAPI. */
export function endpoint<
  Path extends Route,
  Output,
  Body extends z.ZodType = z.ZodUndefined,
  Query extends z.ZodRawShape = Record<never, never>,
  Level extends Access | "anyone" = Access,
  Prepared = undefined,
>(definition: Definition<Path, Body, Query, Level, Output, Prepared>): Endpoint {
  const { method, path } = partsOf(definition.route);
  const access = definition.access ?? (method === "GET" ? "read" : "write");
  const { transaction = false, body, alsoInQuery = [] } = definition;
  const query = { ...definition.query, ...queryOf(body, alsoInQuery) };
  // The frame calls a handler with the output of its own schemas.
  return { ...definition, method, path, access, transaction, query } as unknown as Endpoint;
}

/** Returns the parameters of a body as parameters of a query. */
function queryOf(body: z.ZodType | undefined, names: readonly string[]): z.ZodRawShape {
  const fields = names.map((name) => {
    const field = body instanceof z.ZodObject ? schemaOfField(body, name) : undefined;
    if (!field) throw new Error(`the body has no field ${name}`);
    return [name, field.describe(`Same as \`${name}\` in the body`)] as const;
  });
  return Object.fromEntries(fields);
}

function partsOf(route: Route): Pick<Endpoint, "route" | "method" | "path"> {
  const [method, path] = route.split(" ") as [Verb, `/${string}`];
  return { route, method, path };
}

/** Adds the other names of each act as separate endpoints. */
export function withOtherNames(endpoints: Endpoint[]): Endpoint[] {
  return endpoints.flatMap(({ alsoAs = {}, ...named }) => {
    const aliasOf = named.aliasOf ?? named;
    const others = Object.entries(alsoAs);
    return [named, ...others.map(([operation, route]) => ({ ...named, ...partsOf(route), operation, aliasOf }))];
  });
}

/**
 * Adds a PATCH to each PUT of one record, under its other names too: both change the given attributes and keep the
 * others. PATCH is the main name.
 */
export function withPatch(endpoints: Endpoint[]): Endpoint[] {
  return endpoints.flatMap((put) => {
    const { method, path, operation, alsoAs } = put;
    if (method !== "PUT" || !/:\w+$/.test(path)) return [put];
    const patch: Endpoint = {
      ...put,
      ...partsOf(`PATCH ${path}`),
      ...(operation && { operation: patchName(operation) }),
      ...(alsoAs && { alsoAs: Object.fromEntries(Object.entries(alsoAs).map(patched)) }),
    };
    return [{ ...put, aliasOf: patch }, patch];
  });
}

const patchName = (operation: string) => operation.replace(/^update/, "patch");
const patched = ([operation, route]: [string, Route]): [string, Route] => [
  patchName(operation),
  route.replace(/^PUT/, "PATCH") as Route,
];
