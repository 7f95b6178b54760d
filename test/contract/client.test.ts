import { openApi } from "@gantry/api";
import { type CallRecord, Gantry, GantryError, routes } from "@gantry/client";
import { createCaller } from "@gantry/test/support/api";
import { type Operation, tableOf } from "../../packages/client/operations.mjs";
import { startApiTest } from "../support/api-test.js";
import { requireDeclaredAnswer } from "../support/declared-answer.js";
import { fillAccount } from "../support/fixtures.js";
import { openPort } from "../support/port.js";
import { accessOf, parametersOf, paths } from "./document.js";

/** An id that no record has. */
const ABSENT = "0190c4a2-1111-7111-8111-111111111111";

const port = await openPort();
const { api, db, owner } = await startApiTest({ settings: { BASE_URL: port.url, RATE_LIMIT_PER_MINUTE: "100000" } });
port.serve(api.app);
afterAll(() => port.close());
const fixtures = await fillAccount(api, owner, 3);
const staff = await createCaller(api, { staff: true });

interface Sent {
  method: string;
  url: URL;
  headers: Headers;
  body: unknown;
  response: Response;
  text: string;
}

/** The calls that were sent, in their order, and what the clients say of them. */
const sent: Sent[] = [];
const recorded: CallRecord[] = [];
const [ownersClient, staffsClient] = [owner, staff].map(
  ({ token }) =>
    new Gantry({
      baseUrl: port.url,
      token,
      account: owner.accountId,
      onCall: (record) => recorded.push(record),
      fetch: async (input, init = {}) => {
        const response = await fetch(input, init);
        const { method = "GET", headers, body } = init;
        const sentBody = typeof body === "string" ? JSON.parse(body) : undefined;
        const url = new URL(String(input));
        const isStream = response.headers.get("Content-Type")?.startsWith("text/event-stream");
        const text = isStream ? "" : await response.clone().text();
        sent.push({ method, url, headers: new Headers(headers), body: sentBody, response, text });
        return response;
      },
    }),
);

const table = tableOf(openApi());

/** What a method is called with, and the path that must result. */
function wordsOf(operation: Operation, values: { ids: Record<string, string | number>; body?: object; query: object }) {
  const { ids, query } = values;
  const parents = Object.fromEntries(operation.parents.map((name) => [name, ids[name]]));
  const input = { ...parents, ...(operation.input === "query" ? query : values.body) };
  const options = { reason: "a test", ...(operation.input !== "query" && { query }) };
  return {
    words: [...operation.ids.map((name) => ids[name]), ...(operation.input ? [input] : []), options],
    path: operation.path.replace(/\{(\w+)\??\}/g, (_, name: string) => String(ids[name])),
  };
}

const absentIds = ({ ids, parents }: Operation) =>
  Object.fromEntries([...ids, ...parents].map((name) => [name, ABSENT]));
const plainPath = ({ path }: Operation) => path.replaceAll("?}", "}");
const method = (operation: Operation) => {
  const { staff: isStaffs } = accessOf(plainPath(operation), operation.method.toLowerCase());
  return Reflect.get(Reflect.get((isStaffs ? staffsClient : ownersClient) ?? {}, operation.noun), operation.verb);
};

/** Calls a method to its answer, and returns what was sent for it. */
async function call(operation: Operation, words: unknown[], act = method(operation)) {
  sent.length = 0;
  const result = act(...words);
  const [kind] = operation.answer.split(":");
  let value: unknown;
  if (kind === "events" && operation.method === "GET") {
    const events = result[Symbol.asyncIterator]();
    // A Request that does not exist has no events.
    const first = events.next().catch(() => undefined);
    while (sent.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    result.close();
    await first;
  } else {
    value = await (kind === "list" ? result.page() : result).catch((error: unknown) => {
      if (error instanceof GantryError) return error;
      throw error;
    });
  }
  const [only] = sent;
  if (!only) throw new Error(`${operation.id} sent nothing`);
  return { ...only, value };
}

function queryOf({ query }: Operation) {
  return Object.fromEntries(
    query.map(({ name, schema }) => {
      const { type, format, enum: values } = schema.items ?? schema;
      const text = format === "date-time" ? "2026-01-01T00:00:00Z" : "x";
      const value = values?.[0] ?? { integer: 1, number: 1, boolean: true }[String(type)] ?? text;
      return [name, schema.type === "array" ? [value, value] : value];
    }),
  );
}

it("has a method for every operation that is neither another name of one nor always empty", () => {
  const current = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ operationId, deprecated }) => (deprecated ? [] : [operationId])),
  );
  const names = table.map(({ noun, verb }) => `${noun}.${verb}`);
  expect(table.map(({ id }) => id).sort()).toEqual(current.sort());
  expect(new Set(names).size).toBe(names.length);
  const methods = Object.entries(routes).flatMap(([noun, verbs]) =>
    Object.keys(verbs).map((verb) => `${noun}.${verb}`),
  );
  expect(methods.sort()).toEqual(names.sort());
});

const reads = table.filter(({ method }) => method === "GET");
it.each(reads)("$noun.$verb reads what openapi.json declares", async (operation) => {
  const ids = Object.fromEntries(
    parametersOf(plainPath(operation)).map(({ name, collection }) => [name, fixtures[collection] ?? ABSENT]),
  );
  const { words, path } = wordsOf(operation, { ids, query: {} });
  const { url, response, text, value } = await call(operation, words);
  expect([url.pathname, [...url.searchParams], response.status]).toEqual([path, [], 200]);
  if (operation.answer === "events") return;
  const [kind, key = ""] = operation.answer.split(":");
  if (kind === "text") return expect(value).toBe(text);
  const body = JSON.parse(text);
  const type = response.headers.get("Content-Type")?.split(";")[0] ?? "";
  requireDeclaredAnswer({ status: 200, body, type, request: { method: "GET", url: url.href } });
  if (kind !== "list") return expect(value).toEqual(kind === "record" ? body[key] : body);
  expect(value).toMatchObject({ items: body[key], body });
  const inPairs = method(operation)(...wordsOf(operation, { ids, query: { per_page: 2 } }).words);
  expect(await inPairs.toArray({ max: 1000 })).toHaveLength(Number(response.headers.get("X-Total-Count")));
});

// Events have options of their own for the parameters of their stream.
const filtered = table.filter(({ query, answer }) => query.length > 0 && answer !== "events");
it.each(filtered)("$noun.$verb sends its query", async (operation) => {
  const query = queryOf(operation);
  const { url } = await call(operation, wordsOf(operation, { ids: absentIds(operation), query }).words);
  const expected = Object.entries(query).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]));
  expect([...url.searchParams].sort()).toEqual(expected.sort());
});

it.each(table.filter(({ answer }) => answer === "events"))("$noun.$verb sends its options", async (operation) => {
  const options = { after: "1-1", types: ["request.failed", "request.finished"] };
  const { url } = await call(operation, [...operation.ids.map(() => ABSENT), options]);
  expect(url.search).toBe("?after=1-1&type=request.failed&type=request.finished");
});

const writes = table.filter(({ method }) => method !== "GET");
it.each(writes)("$noun.$verb sends its method, path, body and key", async (operation) => {
  const body = operation.body && { unknown: { wrong: [1, "é"] } };
  const { words, path } = wordsOf(operation, { ids: absentIds(operation), query: {}, ...(body && { body }) });
  const requests = await db.request.count();
  const act = method(operation);
  for (const [way, search] of operation.canPlan
    ? [
        [act.plan, "?dry_run=true"],
        [act, ""],
      ]
    : [[act, ""]]) {
    const answer = await call(operation, words, way);
    expect([answer.method, answer.url.pathname, answer.url.search]).toEqual([operation.method, path, search]);
    // The account of a call without a body is in the input, too.
    expect(answer.body).toEqual(body ?? (operation.input === "input" ? {} : undefined));
    expect(answer.headers.get("Idempotency-Key")).toMatch(/^[\da-f-]{36}$/);
    expect(answer.response.status).not.toBe(500);
    expect(recorded.at(-1)).toMatchObject({
      method: operation.method,
      path,
      status: answer.response.status,
      traceId: answer.response.headers.get("X-Trace-Id"),
    });
  }
  expect(await db.request.count()).toBe(requests);
});

it("leaves the calls of aliases to `call`", async () => {
  const { body } = await new Gantry({ baseUrl: port.url, token: owner.token })
    .call("put", `/networks/${ABSENT}`, { body: { network: { name: "shop" } } })
    .catch((error) => ({ body: error }));
  expect(body).toMatchObject({ code: "not_found", status: 404 });
});
