import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { text } from "node:stream/consumers";
import { httpServer } from "@gantry/api";
import { countRows, createCaller, REGION, startTestApi } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { testLog } from "@gantry/test/support/stack";
import supertest from "supertest";
import { z } from "zod";
import { parse, strict } from "./input/input.js";

const { api, owner, provider } = await startApiTest({ settings: { AUTH_TOKEN_HEADERS: "X-Auth-Token,X-EY-TOKEN" } });

const network = (changes: object = {}) => ({
  provider: provider.id,
  network: { cidr: "10.0.0.0/16", location: REGION, ...changes },
});

describe("a body", () => {
  const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
  const send = (text: string, type = "application/json") =>
    supertest(api.app)
      .post("/networks")
      .set("Authorization", `Bearer ${owner.token}`)
      .set("Content-Type", type)
      .send(text);

  it.each([
    ["larger than 256 KiB", () => JSON.stringify({ a: "x".repeat(300 * 1024) }), 413, "too_large"],
    ["that is not JSON", () => '{"provider":', 400, "not_json"],
    ["nested too deeply", () => deep(30), 422, "too_deep"],
    ["nested ten thousand levels", () => deep(10_000), 422, "too_deep"],
    ["that is a list", () => "[]", 422, "invalid"],
    ["that is null", () => "null", 422, "missing"],
    ["with a key of the prototype", () => '{"__proto__":{"provider":1}}', 422, "missing"],
  ])("%s is refused and creates nothing", async (_name, text, status, code) => {
    const before = await countRows(api.db);
    const { status: got, body } = await send(text());
    expect([got, body.code]).toEqual([status, code]);
    expect(body.errors.length).toBeGreaterThan(0);
    expect(body.trace_id).toMatch(/^[0-9a-f]{32}$/);
    expect(await countRows(api.db)).toEqual(before);
  });

  it("of another content type is refused", async () => {
    expect((await send("a=1", "application/x-www-form-urlencoded")).status).toBe(415);
    expect((await send("{}", "text/plain")).body.code).toBe("unsupported_media_type");
  });

  it("names a missing parameter, as a path and in a sentence", async () => {
    const { body } = await owner.post("/networks", { provider: provider.id });
    expect(body).toMatchObject({
      code: "missing",
      missing: "network",
      errors: ["param is missing or the value is empty: network"],
    });
    const nested = await owner.post("/networks", network({ cidr: undefined }));
    expect(nested.body).toMatchObject({ missing: "network.cidr" });
  });

  it("names every key that is not a parameter", async () => {
    const { status, body } = await owner.post("/networks", { ...network({ tenancy: "host" }), staff: true });
    expect(status).toBe(422);
    expect(body).toMatchObject({ code: "unpermitted", unpermitted: ["network.tenancy", "staff"] });
    expect(body.errors).toEqual(["found unpermitted parameters: network.tenancy, staff"]);
  });

  it("can contain null at any depth, even inside an object with a default", () => {
    const schema = strict({ server: strict({ name: z.string().optional() }).prefault({}) });
    for (const body of [{}, { server: null }, { server: { name: null } }])
      expect(parse(schema, body)).toEqual({ server: {} });
  });

  it("can be {} on a read, but cannot contain a key", async () => {
    expect((await owner.get("/networks").send({})).status).toBe(200);
    expect((await owner.get("/networks").send({ a: 1 })).body.unpermitted).toEqual(["a"]);
  });
});

describe("a version", () => {
  it.each([
    "application/vnd.service.v3+json",
    "application/vnd.other.v3+json",
    "application/json",
    "*/*",
    "text/html, */*;q=0.1",
  ])("is 3 for %s", async (accept) => {
    const { status, headers } = await owner.get("/networks").set("Accept", accept);
    expect([status, headers["content-type"]]).toEqual([200, "application/json; charset=utf-8"]);
  });

  it.each(["application/vnd.service.v2+json", "application/xml"])("is not supported for %s", async (accept) => {
    expect((await owner.get("/networks").set("Accept", accept)).status).toBe(406);
  });
});

describe("a caller", () => {
  it("needs a valid token in one of the configured headers", async () => {
    const read = () => supertest(api.app).get("/networks");
    expect((await read()).status).toBe(401);
    expect((await read().set("Authorization", "Bearer gty_short")).status).toBe(401);
    expect((await read().set("Authorization", `Bearer ${owner.token.slice(0, -1)}_`)).status).toBe(401);
    expect((await read().set("X-Auth-Token", owner.token)).status).toBe(200);
    expect((await read().set("X-EY-TOKEN", owner.token)).status).toBe(200);
    expect((await read().query({ token: owner.token })).status).toBe(401);
  });

  it("with a malformed token costs no query", async () => {
    const gone = await startTestApi({ DATABASE_URL: "postgresql://127.0.0.1:9/none" });
    const { status } = await supertest(gone.app).get("/networks").set("Authorization", "Bearer gty_nothing");
    expect(status).toBe(401);
    await gone.close();
  });

  it("gets the same response for another account's record, an unknown id and a malformed id", async () => {
    const stranger = await createCaller(api);
    const answers = [];
    for (const id of [provider.id, 999_999, 99_999_999_999, "abc", "1e3", "-1", "%00"]) {
      const { status, body } = await stranger.get(`/providers/${id}`);
      answers.push([status, { ...body, trace_id: "" }]);
    }
    const wanted = [404, { errors: ["not found"], code: "not_found", details: [], trace_id: "" }];
    expect(answers).toEqual(answers.map(() => wanted));
  });
});

it("lists the allowed methods if a known path does not support the method", async () => {
  const { status, headers } = await owner.put("/networks");
  expect([status, headers.allow]).toEqual([405, "POST, GET, HEAD"]);
  expect((await owner.get("/nowhere")).status).toBe(404);
});

it("carries the trace id of the caller into the reply and the Request", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const { headers, body } = await owner
    .post("/networks", network())
    .set("traceparent", `00-${traceId}-b7ad6b7169203331-01`);
  expect(headers["x-trace-id"]).toBe(traceId);
  expect(await api.db.request.findUnique({ where: { id: body.request.id } })).toMatchObject({
    traceId,
    userId: owner.userId,
  });
});

describe("text that cannot be stored", () => {
  it.each([
    ["NUL in a body", { location: "a\0b" }, "network.location"],
    ["half a surrogate pair", { cidr: "\ud800" }, "network.cidr"],
  ])("is refused: %s", async (_name, changes, path) => {
    const { status, body } = await owner.post("/networks", network(changes));
    expect([status, body.errors]).toEqual([422, [`${path}: contains a character that is not allowed in text`]]);
  });

  it("is refused in the name of a key", async () => {
    const { status, body } = await owner.post("/networks", { "a\0": 1 });
    expect([status, body.errors]).toEqual([422, ["contains a character that is not allowed in text"]]);
  });

  it("is refused in a query, and finds nothing in a path", async () => {
    expect((await owner.get("/networks?name=a%00b")).body.errors).toEqual([
      "name: contains a character that is not allowed in text",
    ]);
    expect((await owner.get(`/providers/${provider.id}%00`)).status).toBe(404);
    const discover = `/providers/${provider.id}/locations/us-east-1%00/discover`;
    expect((await owner.put(discover)).status).toBe(404);
  });
});

it.each([
  ["1107-10-02T22:26:25.9+21:31", 200],
  ["0001-01-01T00:00:00Z", 200],
  ["0000-12-31T00:00:00Z", 422],
  ["9999-12-31T23:59:59-01:00", 422],
])("compares with the time %s in years that the database supports", async (time, status) => {
  const path = `/accounts/${owner.accountId}/requests?finished_at=${encodeURIComponent(time)}`;
  expect((await owner.get(path)).status).toBe(status);
});

it("answers malformed or oversized HTTP with the usual error body", async () => {
  const server = httpServer(api.app);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const large = await fetch(`http://127.0.0.1:${port}/networks?name=${"x".repeat(20_000)}`);
  expect([large.status, large.headers.get("content-type")]).toEqual([431, "application/json; charset=utf-8"]);
  expect(await large.json()).toMatchObject({ code: "too_large", details: [], trace_id: expect.any(String) });
  const socket = connect(port, "127.0.0.1", () => socket.write("nonsense\r\n\r\n"));
  const answer = await text(socket);
  expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\nContent-Type: application\/json/);
  const { headers } = await fetch(`http://127.0.0.1:${port}/health/live`);
  expect(headers.get("keep-alive")).toBe("timeout=75");
  const closed = once(server, "close");
  server.close();
  await closed;
});

it("ends an input that does not arrive in time, with the usual error body", async () => {
  expect(httpServer(api.app)).toMatchObject({ requestTimeout: 30_000, headersTimeout: 30_000 });
  const server = httpServer(api.app, { inputSeconds: 0.2 });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const head = `POST /networks HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${owner.token}\r\nContent-Type: application/json\r\n`;
  const slow = connect(port, "127.0.0.1", () => slow.write(`${head}Content-Length: 100\r\n\r\n{"a`));
  const answer = await text(slow);
  expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\nContent-Type: application\/json/);
  expect(answer).toContain("the request did not arrive in time");
  const closed = once(server, "close");
  server.close();
  await closed;
});

it("forbids caches to store responses", async () => {
  const paths = [
    "/networks",
    `/providers/${provider.id}`,
    "/users/current",
    "/providers/999999",
    "/accounts?page=0",
    "/nowhere",
  ];
  for (const path of paths) {
    const { headers } = await owner.get(path);
    expect([path, headers["cache-control"]]).toEqual([path, "no-store"]);
  }
  expect((await supertest(api.app).get("/networks")).headers["cache-control"]).toBe("no-store");
});

it("does not log a token that was put into a URL by mistake", async () => {
  const lines: string[] = [];
  const info = (fields: object) => void lines.push(JSON.stringify(fields));
  const log = Object.assign(Object.create(testLog), { info });
  const other = await startTestApi({}, { log });
  const caller = await createCaller(other);
  await caller.get(`/networks/${caller.token}`);
  await supertest(other.app).get(`/${caller.token}?token=${caller.token}`);
  await other.close();
  expect(lines.filter((line) => line.includes('"path"'))).toHaveLength(2);
  expect(lines.join("")).not.toContain(caller.token);
});

it("limits the inputs of a token, and says when to retry", async () => {
  const small = await startTestApi({ RATE_LIMIT_PER_MINUTE: "3" });
  const caller = await createCaller(small);
  const seen = [];
  for (let i = 0; i < 4; i++) seen.push(await caller.get("/networks"));
  expect(seen.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
  expect(seen.map(({ headers }) => headers["ratelimit-remaining"])).toEqual(["2", "1", "0", "0"]);
  expect(Number(seen[3]?.headers["retry-after"])).toBeGreaterThan(0);
  expect((await caller.post("/networks", {})).status).toBe(422);
  await small.close();
});

it("serves the API document and its page without other hosts", async () => {
  const { body } = await supertest(api.app).get("/openapi.json");
  expect(body.openapi).toBe("3.1.0");
  const page = await supertest(api.app).get("/docs");
  const sources = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path ?? "");
  const own = new Set(sources.filter((path) => !path.startsWith("#") && path !== "data:,"));
  for (const path of own) expect([path, (await supertest(api.app).get(path)).status]).toEqual([path, 200]);
  expect(sources.filter((path) => path.startsWith("/docs/"))).toContain("/docs/errors");
  const ids = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
  expect(ids).toEqual([...new Set(ids)]);
  const targets = sources.flatMap((path) => /^(?:\/docs)?#(.+)/.exec(path)?.[1] ?? []);
  expect(targets.filter((id) => !ids.includes(id))).toEqual([]);
});

it("answers a dry run with the plan, and changes nothing", async () => {
  const before = await countRows(api.db);
  const { status, body } = await owner.post("/networks?dry_run=true", network());
  expect(status).toBe(200);
  expect(body.plan).toMatchObject({
    stages: ["create"],
    requests: ["provision_network"],
    creates: ["vpc", "internet_gateway", "route_table", "subnet", "nat_address", "nat_gateway"],
    removes: [],
  });
  expect((await owner.post("/networks?dry_run=true", network({ cidr: "x" }))).status).toBe(422);
  expect(await countRows(api.db)).toEqual(before);
});
