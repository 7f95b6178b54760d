import supertest from "supertest";
import { countRows, createCaller, createEnvironment, createServer } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { sample } from "../support/sample.js";
import { accessOf, bodyOf, fillPath, paths } from "./document.js";
import { OTHERS, sampleBody } from "./inputs.js";

const { api, db, owner, provider } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
const staff = await createCaller(api, { staff: true, reason: "a test" });

const OTHER_TAG = 'W/"another"';
const shown = Object.entries(paths).filter(([, { get }]) => get?.responses["304"]);
const patternOf = (path: string) => path.replace(/\{\w+\}/g, "{}");
const changes = Object.entries(paths).flatMap(([path, operations]) => {
  const read = shown.find(([other]) => patternOf(other) === patternOf(path));
  const methods = ["put", "patch", "delete"].filter((method) => operations[method]);
  return read
    ? methods.map((method) => ({ method: method as "put" | "delete", path, operation: operations[method] }))
    : [];
});

const callerOf = (path: string, method: string) => (accessOf(path, method).staff ? staff : owner);
const tagIn = ({ headers }: { headers: Record<string, string> }) => headers.etag ?? "";

it("shows an ETag for each record that has an id in its path", () => {
  const single = Object.entries(paths).filter(([path, { get }]) => {
    const named = Object.keys(get?.responses ?? {}).includes("200") && /^\/[^/]+\/\{\w+\}$/.test(path);
    return named && get;
  });
  expect(shown.map(([path]) => path)).toEqual(expect.arrayContaining(single.map(([path]) => path)));
  expect(shown.length).toBeGreaterThan(25);
  expect(changes.length).toBeGreaterThan(40);
});

describe.each(sample(shown, 10, "reads with conditions").map(([path]) => path))("GET %s", (path) => {
  it("answers 304 without a body for a tag that the record still has", async () => {
    const caller = callerOf(path, "get");
    const address = fillPath(path, fixtures);
    const first = await caller.get(address);
    expect([first.status, first.body.errors]).toEqual([200, undefined]);
    const tag = tagIn(first);
    expect(tag).toMatch(/^W\/"[\w-]{27}"$/);
    for (const known of [tag, tag.slice(2), `${OTHER_TAG}, ${tag}`, `"a,b" ,${tag}`, "*"]) {
      const again = await caller.get(address).set("If-None-Match", known);
      expect([known, again.status, again.text, tagIn(again)]).toEqual([known, 304, "", tag]);
    }
    const head = await supertest(api.app)
      .head(address)
      .set({ Authorization: `Bearer ${caller.token}`, "If-None-Match": tag });
    expect([head.status, tagIn(head)]).toEqual([304, tag]);
    const changed = await caller.get(address).set("If-None-Match", OTHER_TAG);
    expect([changed.status, tagIn(changed)]).toEqual([200, tag]);
    expect((await caller.get(address).set("If-Match", OTHER_TAG)).status).toBe(412);
    expect((await caller.get(address).set("If-Match", tag)).status).toBe(200);
  });
});

describe.each(sample(changes, 15, "changes with conditions"))("$method $path", ({ method, path, operation }) => {
  const send = (headers: Record<string, string>) => {
    const schema = bodyOf(operation);
    const body = schema ? (sampleBody(schema, { fixtures, others: OTHERS }) as object) : undefined;
    return callerOf(path, method)[method](fillPath(path, fixtures), body).set(headers);
  };
  const read = async () => tagIn(await callerOf(path, "get").get(fillPath(path, fixtures)));

  it("is refused, and changes nothing, unless the record is as the caller knows it", async () => {
    const before = [await countRows(db), await read()];
    for (const headers of [{ "If-Match": OTHER_TAG }, { "If-None-Match": "*" }, { "If-None-Match": await read() }]) {
      const { status, body } = await send(headers as Record<string, string>);
      expect([headers, status, body.code]).toEqual([headers, 412, "precondition_failed"]);
    }
    const { status, body } = await send({ "If-Match": "bare" });
    expect([status, body.details]).toEqual([422, [{ path: "If-Match", message: expect.any(String) }]]);
    expect([await countRows(db), await read()]).toEqual(before);
  });
});

describe.each(changes.filter(({ method }) => method !== "delete"))("$method $path", ({ method, path, operation }) => {
  it("is carried out with the tag that the record has", async () => {
    const address = fillPath(path, fixtures);
    const tag = tagIn(await callerOf(path, "get").get(address));
    const body = sampleBody(bodyOf(operation) ?? {}, { fixtures, others: OTHERS }) as object;
    const caller = callerOf(path, method);
    const plain = await caller[method](address, body);
    const conditional = await caller[method](address, body).set(
      "If-Match",
      tagIn(await callerOf(path, "get").get(address)),
    );
    expect(tag).not.toBe("");
    expect([conditional.status, conditional.body.code]).not.toEqual([412, "precondition_failed"]);
    expect(conditional.body.code).toBe(plain.body.code);
  });
});

it("lets one of several changes with one tag win", async () => {
  for (let round = 0; round < 5; round++) {
    const { id } = await createEnvironment(db, provider, { name: `contended ${round}` });
    const path = `/environments/${id}`;
    const tag = tagIn(await owner.get(path));
    const names = ["a", "b", "c", "d"].map((name) => `${name} ${round}`);
    const put = (name: string) => owner.put(path, { environment: { name } }).set("If-Match", tag);
    const answers = await Promise.all(names.map(put));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412]);
    const won = names[answers.findIndex(({ status }) => status === 200)];
    expect((await owner.get(path)).body.environment.name).toBe(won);
  }
});

it("shows another tag after each change of the record, whatever made it", async () => {
  const environment = await createEnvironment(db, provider);
  const server = await createServer(db, environment, { role: "util" });
  const path = `/servers/${server.id}`;
  const tags = new Set([tagIn(await owner.get(path))]);
  await db.$executeRaw`UPDATE servers SET state = 'error' WHERE id = ${server.id}`;
  tags.add(tagIn(await owner.get(path)));
  await db.$executeRaw`UPDATE servers SET tags = '{"team": "shop"}' WHERE id = ${server.id}`;
  tags.add(tagIn(await owner.get(path)));
  await db.$executeRaw`UPDATE servers SET chef_status = '[{"message": "up", "time_ago": "", "timestamp": "2026-11-24T09:00:00+00:00"}]' WHERE id = ${server.id}`;
  tags.add(tagIn(await owner.get(path)));
  expect([tags.size, tags.has("")]).toEqual([4, false]);
});

it("gives callers who see a secret another tag, and reads no secret for it", async () => {
  const environment = await createEnvironment(db, provider);
  const path = `/environments/${environment.id}`;
  const narrow = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write", "admin"] });
  const [seen, hidden] = [tagIn(await owner.get(path)), tagIn(await narrow.get(path))];
  expect(seen).not.toBe(hidden);
  const reads = () => db.pendingAuditRecord.count({ where: { action: "read secret" } });
  const before = await reads();
  expect(before).toBeGreaterThan(0);
  expect((await owner.get(path).set("If-None-Match", seen)).status).toBe(304);
  expect((await narrow.get(path).set("If-None-Match", hidden)).status).toBe(304);
  const put = (by: typeof owner, tag: string) => by.put(path, { environment: { name: "mine" } }).set("If-Match", tag);
  expect([(await put(owner, hidden)).status, (await put(narrow, seen)).status]).toEqual([412, 412]);
  expect(await reads()).toBe(before);
  expect((await narrow.get(path).set("If-None-Match", seen)).body.environment.internal_private_key).toBeNull();
  expect((await owner.get(path).set("If-None-Match", hidden)).body.environment.internal_private_key).toBe("none");
  expect((await put(owner, seen)).status).toBe(200);
});

it("refuses a condition where no record has a tag", async () => {
  const { status, body } = await owner.put(`/servers/${fixtures.servers}/stop`, {}).set("If-Match", OTHER_TAG);
  expect([status, body.details?.[0]?.path]).toEqual([422, "If-Match"]);
});

it("answers a repeated change with its first reply, although the record has changed since", async () => {
  const { id } = await createEnvironment(db, provider);
  const path = `/environments/${id}`;
  const headers = { "If-Match": tagIn(await owner.get(path)), "Idempotency-Key": "conditional" };
  const put = () => owner.put(path, { environment: { name: "once" } }).set(headers);
  const first = await put();
  const again = await put();
  expect([first.status, again.status, again.headers["idempotent-replayed"]]).toEqual([200, 200, "true"]);
  expect(again.body.environment.name).toBe("once");
});
