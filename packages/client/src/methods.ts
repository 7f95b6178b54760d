import { NotFound } from "./errors.js";
import { EventStream, type StreamOptions } from "./events.js";
import type { Request } from "./generated/schemas.js";
import { type Id, idOf } from "./ids.js";
import { listOf } from "./pages.js";
import { RequestHandle } from "./request-handle.js";
import type { Call, CallOptions, Reply, Transport } from "./transport.js";

/** A promise that can also give the response. */
export interface Answer<T> extends Promise<T> {
  withResponse(): Promise<{ data: T; response: Response }>;
}

/** A call that creates a Request. The promise resolves when Gantry has accepted it; `done` also waits for its end. */
export interface Pending<T> extends Answer<RequestHandle<T>> {
  /**
   * Waits for the end of the Request and returns its record.
   *
   * @throws RequestFailed, RequestCancelled or WaitTimeout
   */
  done: RequestHandle<T>["done"];
}

/** What the methods need of the client. */
export interface Context {
  readonly transport: Transport;
  /** The account of calls that need one, unless they name it. */
  readonly account: Id | undefined;
}

/** A line of the table of routes, such as `POST /networks request input plan`. */
interface Route {
  method: string;
  /** The parts of the path: text, or the name of a parameter in braces. */
  path: string;
  answer: string;
  input: "input" | "query" | undefined;
}

type Method = (...words: unknown[]) => unknown;

/** Builds the methods of a resource, as `generated/api.ts` describes them, from its lines of the table. */
export function methodsOf(context: Context, routes: Readonly<Record<string, string>>): Record<string, Method> {
  return Object.fromEntries(Object.entries(routes).map(([verb, text]) => [verb, methodOf(context, text)]));
}

function methodOf(context: Context, text: string): Method {
  const [method = "", path = "", answer = "", ...takes] = text.split(" ");
  const input = (["input", "query"] as const).find((word) => takes.includes(word));
  const route: Route = { method, path, answer, input };
  const call: Method = (...words) => run(context, route, words);
  if (!takes.includes("plan")) return call;
  const plan: Method = (...words) => run(context, { ...route, answer: "record:plan" }, words, { dry_run: true });
  return Object.assign(call, { plan });
}

function run(context: Context, { method, path: pattern, answer, input }: Route, words: unknown[], more: object = {}) {
  const rest = [...words];
  const { transport } = context;
  const [kind, key] = answer.split(":");
  const ids = pattern.replace(/\{(\w+)\}/g, () => idOf(rest.shift()));
  if (kind === "events") return new EventStream(transport, ids, rest.shift() as StreamOptions | undefined);
  const given = (input ? rest.shift() : undefined) as Record<string, unknown> | undefined;
  const { query, ...options } = (rest.shift() ?? {}) as CallOptions & { query?: object };
  const taken: string[] = [];
  const path = ids.replace(/\{(\w+)\?\}/g, (_, name: string) => {
    taken.push(name);
    return idOf(given?.[name] ?? (name === "account" ? context.account : undefined), name);
  });
  const left = given && Object.fromEntries(Object.entries(given).filter(([name]) => !taken.includes(name)));
  const call: Call = {
    ...options,
    query: { ...(input === "query" ? left : undefined), ...query, ...more },
    ...(input === "input" && left && { body: left }),
  };
  if (kind === "list") return listOf(transport, path, key as string, call);
  const reply = transport.send(method, path, call);
  if (kind !== "request") return answerOf(reply, ({ body }) => (kind === "record" ? member(body, key) : body));
  const pending = answerOf(
    reply,
    ({ body, response }) =>
      new RequestHandle<unknown>(transport, requestOf(body, response), { isRemoval: method === "DELETE" }),
  );
  return Object.assign(pending, { done: async (options: object) => (await pending).done(options) });
}

function answerOf<T>(reply: Promise<Reply>, read: (reply: Reply) => T): Answer<T> {
  const data = reply.then(read);
  const withResponse = async () => ({ data: await data, response: (await reply).response });
  return Object.assign(data, { withResponse });
}

/** The member of a body; the whole body if it has no such member. */
function member(body: unknown, key = ""): unknown {
  return typeof body === "object" && body !== null && key in body ? (body as Record<string, unknown>)[key] : body;
}

/** The Request of an answer; the boot from a blueprint names it in a header only. */
function requestOf(body: unknown, response: Response): Pick<Request, "id"> & Partial<Request> {
  const { request } = (body ?? {}) as { request?: Request };
  const linked = /<[^>]*\/requests\/([^>/?]+)>/.exec(response.headers.get("Link") ?? "")?.[1];
  if (request) return request;
  if (linked) return { id: linked };
  throw new NotFound("the answer names no Request", { code: "no_request", status: response.status });
}
