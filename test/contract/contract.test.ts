import { randomUUID } from "node:crypto";
import { createCaller } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { bodyOf, fillPath, type Operation, paths, referred, type Schema, singularOf } from "./document.js";
import { ENDPOINTS } from "./endpoints.js";
import { FILTERS, NEVER_DELETED } from "./filters.js";
import { OTHERS, sampleBody } from "./inputs.js";
import { isOfType, RECORDS } from "./records.js";

// The specification and the document may name a parameter differently.
const operationsByPattern = new Map(
  Object.entries(paths).map(([path, operations]) => [path.replace(/\{\w+\}/g, ":"), operations]),
);

function operationOf(route: string): Operation | undefined {
  const [method = "", path = ""] = route.split(" ");
  return operationsByPattern.get(path.replace(/:\w+/g, ":"))?.[method.toLowerCase()];
}

/** The schema of a body's parameter, named by its path with dots. */
function schemaOf(operation: Operation | undefined, path: string): Schema | undefined {
  let schema = bodyOf(operation);
  for (const part of path.split(".")) schema = schema?.properties?.[part];
  return schema;
}

const { api, db, owner } = await startApiTest();

describe.each(ENDPOINTS)("$route", ({ route, takes = [], query = [], status, answers }) => {
  const operation = operationOf(route);

  it("exists", () => {
    expect(Object.keys(operation?.responses ?? {})).toContain(String(status));
  });

  it("accepts every parameter of the specification", () => {
    const named = operation?.parameters?.filter((parameter) => parameter.in === "query").map(({ name }) => name) ?? [];
    for (const name of query) expect(named).toContain(name);
    for (const name of takes) {
      const [path = "", isRequired] = [name.replace("!", ""), name.endsWith("!")];
      const body = bodyOf(operation);
      if (isRequired) expect(body?.required).toContain(path);
      expect([path, schemaOf(operation, path)]).toEqual([path, expect.anything()]);
    }
  });

  it("answers under the specified names", () => {
    const schema = operation?.responses[status]?.content?.["application/json"].schema;
    const shapes = schema ? [schema, ...(schema.anyOf ?? [])].map(referred) : [];
    const names = shapes.flatMap(({ properties = {} }) => Object.keys(properties));
    for (const name of answers) expect([route, names]).toEqual([route, expect.arrayContaining([name])]);
    if (answers.length === 0) expect(names).toEqual([]);
  });
});

it.each(Object.entries(paths).filter(([path, { put }]) => put && path.endsWith("}")))(
  "PUT %s is another name of PATCH",
  (_path, { put, patch }) => {
    expect(put).toEqual({
      ...patch,
      operationId: put?.operationId,
      deprecated: true,
      "x-gantry-alias-of": patch?.["x-gantry-alias-of"] ?? patch?.operationId,
    });
  },
);

describe.each(Object.entries(FILTERS))("GET %s", (path, filters) => {
  const named =
    operationOf(`GET ${path}`)?.parameters?.flatMap((each) => (each.in === "query" ? [each.name] : [])) ?? [];
  // Several values of one filter are written `name[]`.
  const names = named.map((name) => name.replace("[]", ""));

  it("accepts every filter, pages, and the view of deleted rows where rows can be deleted", () => {
    const deleted = NEVER_DELETED.includes(path) ? [] : ["deleted", "with_deleted"];
    expect(names).toEqual(expect.arrayContaining([...filters, "page", "per_page", ...deleted]));
  });
});

// A Request of a quiet type.
const ENDED = {
  type: "instance_update",
  input: { action: "stop" },
  resourceType: "server",
  resourceId: "1",
  traceId: "0".repeat(32),
  deadlineAt: new Date(),
  startedAt: new Date(),
  finishedAt: new Date(),
  successful: true,
  stage: "update",
};

const fixtures = await fillAccount(api, owner, 2);
const quiet = await db.request.create({ data: { ...ENDED, id: randomUUID(), accountId: owner.accountId } });

/** The path that shows each kind of record. */
const addresses: Record<string, string> = {
  ...Object.fromEntries(Object.entries(fixtures).map(([name, id]) => [singularOf(name), `/${name}/${id}`])),
  "request of a quiet type": `/requests/${quiet.id}`,
  location: "/providers/aws/locations",
  flavor: `/providers/${fixtures.providers}/flavors/compute`,
  "database_server options": `/providers/${fixtures.providers}/database-server`,
  message: `/requests/${fixtures.requests}/messages`,
  cloud_object: `/requests/${fixtures.requests}/cloud-objects`,
};

describe("PATCH", () => {
  const patched = Object.entries(paths).flatMap(([path, { put, patch }]) => (put && patch ? [{ path, put }] : []));
  const stamps = /"(trace_id|updated_at)":"[^"]*"/g;

  it.each(patched)("$path answers as PUT does", async ({ path, put }) => {
    const { userId } = await createCaller(api, { accountId: owner.accountId, role: "member" });
    const { id: memberships } = await db.membership.findFirstOrThrow({ where: { userId } });
    const own = { ...fixtures, memberships };
    const plansOnly = put.parameters?.some(({ name }) => name === "dry_run") ? "?dry_run=true" : "";
    const address = `${fillPath(path, own)}${plansOnly}`;
    const body = sampleBody(bodyOf(put) ?? {}, { fixtures: own, others: OTHERS }) as object;
    const [first, second] = [await owner.put(address, body), await owner.patch(address, body)];
    expect([first.status, second.status]).toEqual([200, 200]);
    expect(second.text.replace(stamps, "")).toEqual(first.text.replace(stamps, ""));
  });
});

describe("a record", () => {
  it.each(Object.entries(RECORDS))("%s has the specified fields and types, and no other", async (kind, fields) => {
    const { body } = await owner.get(addresses[kind] ?? "");
    const [name = ""] = kind.split(" ");
    const records: Record<string, unknown>[] = body[name] ? [body[name]] : body[`${name}s`];
    expect(records.length).toBeGreaterThan(0);
    for (const record of records) {
      expect(Object.keys(record).sort()).toEqual(Object.keys(fields).sort());
      const wrong = Object.entries(fields).filter(([field, type]) => !isOfType(record[field], type));
      expect(wrong.map(([field, type]) => `${field} should be ${type}: ${JSON.stringify(record[field])}`)).toEqual([]);
    }
  });

  it("links only to URLs that answer its owner with 200", async () => {
    const seen = new Set<string>(["/accounts"]);
    const dead: string[] = [];
    for (const path of seen) {
      const { status, text } = await owner.get(path);
      if (status !== 200) dead.push(`${status} ${path}`);
      for (const [, next] of text.matchAll(/"http:\/\/gantry\.test(\/[^"]+)"/g)) seen.add(next ?? "");
    }
    expect(dead).toEqual([]);
    expect(seen.size).toBeGreaterThan(40);
  });

  it("lists the specified compute flavors and engine versions", async () => {
    const flavors = (await owner.get(addresses.flavor ?? "")).body.flavors;
    expect(flavors).toHaveLength(18);
    expect(flavors[0]).toMatchObject({ id: "m3_medium", api_name: "m3.medium", name: "m3_medium", architecture: 64 });
    const optimized = flavors.filter((flavor: { volume_optimized: boolean }) => flavor.volume_optimized);
    expect(optimized.map(({ id }: { id: string }) => id)).toEqual([
      "c4_large",
      "c4_xlarge",
      "m4_large",
      "m4_xlarge",
      "r4_large",
      "r4_xlarge",
    ]);
    const { versions } = (await owner.get(`/providers/${fixtures.providers}/database-server/versions`)).body;
    expect(versions.aurora).toEqual(["5.6.10a"]);
    expect([versions.mysql.length, versions.postgres.length]).toEqual([9, 9]);
    expect((await owner.get("/providers/aws/locations")).body.locations).toHaveLength(14);
  });
});

describe("the document", () => {
  const operations = Object.values(paths).flatMap((each) => Object.values(each));

  it("names every operation once, describes it and each of its parameters, and gives examples", () => {
    const names = operations.map(({ operationId }) => operationId);
    expect(names.filter((name, i) => !name || names.indexOf(name) !== i)).toEqual([]);
    const parameters = operations.flatMap(({ operationId, parameters = [] }) =>
      parameters.map((parameter) => ({ operationId, ...parameter })),
    );
    const lacking = parameters.filter(({ description, example }) => !description || example === undefined);
    expect(lacking.map(({ operationId, name }) => `${operationId} ${name}`)).toEqual([]);
    expect(operations.filter(({ description }) => !description)).toEqual([]);
  });
});
