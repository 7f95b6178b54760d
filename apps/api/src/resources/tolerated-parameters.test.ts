import { createCaller, createEnvironment, REGION } from "@gantry/test/support/api";
import { startApiTest } from "@gantry/test/support/api-test";
import { fillAccount } from "@gantry/test/support/fixtures";
import { SSH_KEYS } from "@gantry/test/support/ssh-keys";
import type { Request } from "express";
import supertest from "supertest";
import type { z } from "zod";
import type { Endpoint } from "../http/endpoint.js";
import { HttpError } from "../http/errors/errors.js";
import { isRecord, objectIn, parse, schemaOfField, strict } from "../http/input/input.js";
import { parametersOf, type Tolerated, tolerates } from "../http/input/tolerated-parameters.js";
import { endpoints } from "./index.js";
import { TOLERATED } from "./tolerated-parameters.js";

const { api, db, owner, provider } = await startApiTest();
const staff = await createCaller(api, { staff: true, reason: "a test" });
const fixtures = await fillAccount(api, owner, 2);

const nameOf = ({ route }: Tolerated) => (typeof route === "function" ? route.name : String(route));
const cases = TOLERATED.flatMap((entry) =>
  entry.names.map((name) => ({ entry, name, title: `${name} in the ${entry.in} of ${nameOf(entry)}` })),
);

/** The names that an endpoint refuses of an input with one parameter and another that no endpoint has. */
async function refused({ method, path, staffOnly }: Endpoint, place: Tolerated["in"], name: string, value: unknown) {
  const concrete = path.replace(/:\w+/g, "7");
  const body = place === "body" ? nested(name, value) : {};
  const query = place === "query" ? { [name]: value, never_a_parameter: "1" } : {};
  const answer = await supertest(api.app)
    [method.toLowerCase() as "get"](concrete)
    .set("Authorization", `Bearer ${(staffOnly ? staff : owner).token}`)
    .set(staffOnly ? { "Gantry-Reason": "a test" } : {})
    .query(query)
    .send(place === "body" ? { ...body, never_a_parameter: 1 } : undefined);
  expect(answer.body.unpermitted).toContain("never_a_parameter");
  return answer.body.unpermitted.filter((each: string) => each !== "never_a_parameter");
}

function nested(name: string, value: unknown): Record<string, unknown> {
  return name.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value) as Record<string, unknown>;
}

/** An object with the fields of two, at every depth. */
function merged(one: unknown, other: unknown): unknown {
  if (!isRecord(one) || !isRecord(other)) return other;
  const both = Object.entries(other).map(([key, value]) => [key, merged(one[key], value)]);
  return { ...one, ...Object.fromEntries(both) };
}

const schemaOf = ({ body, query, reply }: Endpoint, place: Tolerated["in"]) =>
  place === "query" ? strict({ ...query, ...reply.query }) : (body ?? strict({}));

/** True if the frame leaves a parameter in an endpoint's input, whose schema refuses it. */
function isRefusedByFrame(endpoint: Endpoint, place: Tolerated["in"], name: string): boolean {
  const sent = { ...{ body: {}, query: {} }, [place]: nested(name, "7") };
  const input = { ...sent, params: {}, headers: {}, url: "/?sent" } as unknown as Request;
  try {
    parse(schemaOf(endpoint, place), parametersOf(endpoint, input, [])[place]);
  } catch (error) {
    const paths = error instanceof HttpError ? (error.extras.details ?? []).map(({ path }) => path) : [];
    return paths.some((path) => path !== "" && `${name}.`.startsWith(`${path}.`));
  }
  return false;
}

/** True if the parameter is an endpoint's own. */
function declares(endpoint: Endpoint, place: Tolerated["in"], name: string): boolean {
  let schema: z.ZodType | undefined = schemaOf(endpoint, place);
  for (const key of name.split(".")) {
    const object: z.ZodObject | undefined = schema && objectIn(schema, {});
    schema = object && schemaOfField(object, key);
  }
  return schema !== undefined;
}

describe("a parameter of the table", () => {
  it.each(cases)("$title is accepted on every endpoint of its entry", async ({ entry, name }) => {
    const taking = endpoints.filter((endpoint) => tolerates(entry, endpoint));
    expect(taking.length).toBeGreaterThan(0);
    for (const endpoint of taking)
      expect([endpoint.route, await refused(endpoint, entry.in, name, entry.only === "null" ? null : "7")]).toEqual([
        endpoint.route,
        [],
      ]);
  });

  it.each(cases)("$title is refused on every other endpoint of its method", async ({ entry, name }) => {
    const isKnown = (endpoint: Endpoint) =>
      TOLERATED.some(
        (each) =>
          each.in === entry.in &&
          each.names.some((known) => `${name}.`.startsWith(`${known}.`)) &&
          tolerates(each, endpoint),
      );
    const methods = endpoints.filter((endpoint) => tolerates(entry, endpoint)).map(({ method }) => method);
    const others = endpoints.filter(
      (each) => methods.includes(each.method) && !isKnown(each) && !declares(each, entry.in, name),
    );
    expect(others.length).toBeGreaterThan(3);
    const taking = others.filter((endpoint) => !isRefusedByFrame(endpoint, entry.in, name));
    expect(taking.map(({ route }) => route)).toEqual([]);
    const byCall = others.filter(({ body, access }) => (!body || entry.in === "query") && access !== "anyone");
    for (const endpoint of byCall.slice(0, 3))
      expect([endpoint.route, await refused(endpoint, entry.in, name, "7")]).toEqual([
        endpoint.route,
        [entry.in === "query" ? name : name.split(".")[0]],
      ]);
  });

  const alert = { name: "load", external_id: "load-1", message: "high", severity: "critical" };
  /** A whole input of each entry of the table, without what is tolerated. */
  const WHOLE: Record<string, [path: string, body?: object]> = {
    "POST /accounts": ["/accounts", { account: { name: "whole" } }],
    "POST /accounts/:account/providers": [
      `/accounts/${owner.accountId}/providers`,
      {
        provider: {
          type: "aws",
          credentials: { aws_secret_id: "AKIAIOSFODNN7EXAMPLE", aws_secret_key: "k".repeat(40) },
        },
      },
    ],
    [String(/^POST \/accounts\/:account\//)]: [
      `/accounts/${owner.accountId}/applications`,
      { application: { name: "whole", repository: "git@example.com:a/b.git", type: "rails4" } },
    ],
    [String(/^POST .*\/keypairs$/)]: ["/keypairs", { keypair: { name: "a", public_key: SSH_KEYS.ed25519.publicKey } }],
    isList: ["/servers"],
    "POST /servers": [
      "/servers?dry_run=true",
      { environment: fixtures.environments, server: { flavor: "m3.medium", role: "app" } },
    ],
    "DELETE /servers/:server": [`/servers/${fixtures.servers}?dry_run=true`],
    [String(/^POST .*\/apply$/)]: [`/servers/${fixtures.servers}/apply?dry_run=true`],
    [String(/^POST .*\/alerts$/)]: [`/servers/${fixtures.servers}/alerts`, { alert }],
    [String(/^(PUT|PATCH) \/alerts\/:alert$/)]: [`/alerts/${fixtures.alerts}`, { alert: { message: "low" } }],
    "POST /database-servers/:database_server/snapshots": [
      `/database-servers/${fixtures["database-servers"]}/snapshots?dry_run=true`,
      {},
    ],
    "POST /database-servers": [
      "/database-servers?dry_run=true",
      { replication_source: fixtures["database-servers"], database_server: { flavor: "db.m4.large" } },
    ],
  };

  it.each(cases)("$title changes nothing in a whole input, which succeeds", async ({ entry, name }) => {
    const [path = "", body = {}] = WHOLE[nameOf(entry)] ?? [];
    // A user has each key once.
    await db.keypair.deleteMany({ where: { userId: owner.userId } });
    const method = endpoints.find((endpoint) => tolerates(entry, endpoint))?.method ?? "GET";
    const values = { null: null, same: owner.accountId, any: "7" };
    const more = nested(name, values[entry.only ?? "any"]);
    const isQuery = entry.in === "query";
    const answer = await supertest(api.app)
      [method.toLowerCase() as "get"](path)
      .set("Authorization", `Bearer ${owner.token}`)
      .query(isQuery ? more : {})
      .send(
        method === "GET" || (isQuery && method === "DELETE")
          ? undefined
          : isQuery
            ? body
            : (merged(body, more) as object),
      );
    expect([Math.floor(answer.status / 100), answer.body.errors]).toEqual([2, undefined]);
  });

  it("url is taken on lists, and neither on events nor on one record", () => {
    const taking = endpoints.filter((endpoint) => endpoint.tolerated?.some(({ names }) => names.includes("url")));
    const routes = taking.map(({ route }) => route);
    expect(routes).toEqual(
      expect.arrayContaining([
        "GET /audit",
        "GET /accounts/:account/drift",
        "GET /environments/:environment/kubey_cluster",
        "GET /providers/:provider/flavors/compute",
        "GET /provider-locations/:provider_location_id/flavors/compute",
        "GET /servers/:server/snapshots/:request",
      ]),
    );
    expect(routes).not.toContain("GET /accounts/:account/events");
    expect(routes).not.toContain("GET /addresses/:address");
  });

  it("that refers to the path's record cannot refer to another", async () => {
    const create = (account: unknown) =>
      owner.post(`/accounts/${owner.accountId}/applications`, {
        account,
        application: { name: `app of ${String(account)}`, repository: "git@example.com:a/b.git", type: "rails4" },
      });
    for (const account of [owner.accountId, `https://gantry.test/accounts/${owner.accountId}`, null])
      expect((await create(account)).status).toBe(201);
    const { status, body } = await create("0190c4a2-1111-7111-8111-111111111111");
    expect([status, body.details]).toEqual([
      422,
      [{ path: "account", message: "names a different account than the path" }],
    ]);
  });

  it("that can only be null is refused with a value", async () => {
    const { unpermitted } = (await owner.post("/keypairs", { user: "7", keypair: {} })).body;
    expect(unpermitted).toEqual(["user"]);
  });
});

describe("the query of a write with a form's content type and no body", () => {
  const send = (query: string, type = "application/x-www-form-urlencoded") =>
    supertest(api.app)
      .post(`/networks?${query}`)
      .set("Authorization", `Bearer ${owner.token}`)
      .set("Content-Type", type);
  const form = `provider=${provider.id}&network[cidr]=10.0.0.0/16&network[location]=${REGION}`;

  it.each([
    ["a boolean as text", "network[skip_subnets]=true"],
    ["null as a bare key", "network[skip_subnets]"],
    ["null as an empty text", "network[skip_subnets]="],
  ])("is its nested body, with %s", async (_what, more) => {
    const before = await db.network.count();
    const { status, body } = await send(`${form}&${more}`);
    expect([status, body.errors]).toEqual([200, undefined]);
    expect(await db.network.count()).toBe(before + 1);
  });

  it("is its body, with numbers as text", async () => {
    const { id } = await db.providerLocation.findFirstOrThrow({ where: { providerId: provider.id } });
    const { status, body } = await supertest(api.app)
      .put(`/provider-locations/${id}?provider_location[limits][servers]=7`)
      .set("Authorization", `Bearer ${owner.token}`)
      .set("Content-Type", "application/x-www-form-urlencoded");
    expect([status, body.provider_location.limits.servers]).toEqual([200, 7]);
  });

  it("is its body, with numbers as text inside a variant of it", async () => {
    const { id } = await createEnvironment(db, provider);
    const { status, body } = await supertest(api.app)
      .post(
        `/environments/${id}/boot?dry_run=true&cluster_configuration[configuration][type]=custom` +
          "&cluster_configuration[configuration][apps][count]=2&cluster_configuration[configuration][db_slaves]",
      )
      .set("Authorization", `Bearer ${owner.token}`)
      .set("Content-Type", "application/x-www-form-urlencoded");
    expect([status, body.errors]).toEqual([200, undefined]);
  });

  it("can also contain the endpoint's own query parameters", async () => {
    const before = await db.network.count();
    const { status, body } = await send(`${form}&dry_run=true`);
    expect([status, Object.keys(body)]).toEqual([200, ["plan"]]);
    expect(await db.network.count()).toBe(before);
  });

  it("is refused if the value is wrong, with the parameter's path", async () => {
    const { status, body } = await send(`${form}&network[skip_subnets]=perhaps`);
    expect([status, body.details[0].path]).toEqual([422, "network.skip_subnets"]);
  });

  it("stays a query with another content type", async () => {
    const { status, body } = await send(form, "application/json");
    expect([status, body.unpermitted]).toEqual([422, ["provider", "network"]]);
  });
});
