import { createCaller, createEnvironment } from "../support/api.js";
import { idsIn, startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { accessOf, bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, sampleBody, withValue } from "./inputs.js";

const COMPOSED = "caf\u00e9";
const DECOMPOSED = "cafe\u0301";

const { api, db, owner, provider } = await startApiTest();
const fixtures = await fillAccount(api, owner, 2);
const staff = await createCaller(api, { staff: true, reason: "a test" });

/** The paths with dots of the texts of a body that may hold any letter. */
function textsIn(schema: Schema, path = ""): string[] {
  const { properties = {}, anyOf = [], oneOf = [] } = schema;
  const nested = [
    ...Object.entries(properties).flatMap(([key, each]) => textsIn(each, path ? `${path}.${key}` : key)),
    ...[...anyOf, ...oneOf].flatMap((variant) => textsIn(variant, path)),
  ];
  return path && [schema.type ?? []].flat().includes("string") && !schema.enum ? [path, ...nested] : nested;
}

const fields = Object.entries(paths).flatMap(([path, operations]) =>
  ["post", "put"].flatMap((method) => {
    const schema = bodyOf(operations[method]);
    return schema ? textsIn(schema).map((field) => ({ method: method as "post" | "put", path, field, schema })) : [];
  }),
);

const accepted: string[] = [];

it.each(fields)("$method $path stores $field in one form", async ({ method, path, field, schema }) => {
  const caller = accessOf(path, method).staff ? staff : owner;
  const sample = sampleBody(schema, { fixtures, others: { ...OTHERS, email: "a@example.com" } }) as object;
  const text = field.endsWith("email")
    ? `${DECOMPOSED}-${accepted.length}@example.com`
    : `${DECOMPOSED}-${accepted.length}`;
  const { status, text: answer } = await caller[method](fillPath(path, fixtures), withValue(sample, field, text));
  if (status >= 300) return;
  accepted.push(field);
  expect([field, answer.includes(DECOMPOSED)]).toEqual([field, false]);
});

it("accepts letters in names, and stores none of them decomposed", async () => {
  expect(accepted).toEqual(
    expect.arrayContaining(["environment.name", "application.name", "alert.name", "keypair.name"]),
  );
  const tables = await db.$queryRaw<{ name: string }[]>`
    SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'name'`;
  for (const { name } of tables) {
    const rows = await db.$queryRawUnsafe(`SELECT name FROM "${name}" WHERE name::text IS NOT NFC NORMALIZED`);
    expect([name, rows]).toEqual([name, []]);
  }
});

it("compares names and finds records in both forms", async () => {
  const caller = await createCaller(api);
  const create = (name: string) => caller.post(`/accounts/${caller.accountId}/environments`, { environment: { name } });
  const { status, body } = await create(DECOMPOSED);
  expect([status, body.environment?.name]).toEqual([201, COMPOSED]);
  expect((await create(COMPOSED)).status).toBe(409);
  expect((await create(DECOMPOSED)).status).toBe(409);
  for (const text of [COMPOSED, DECOMPOSED])
    for (const filter of ["q", "name", "name[]"])
      expect(idsIn(await caller.get(`/environments?${new URLSearchParams({ [filter]: text })}`))).toEqual([
        body.environment.id,
      ]);
});

it("finds by a part of its name a record that has the other form since before", async () => {
  const { id } = await createEnvironment(db, provider, { name: `old ${DECOMPOSED}` });
  for (const q of [COMPOSED, DECOMPOSED])
    expect(idsIn(await owner.get(`/environments?${new URLSearchParams({ q: `old ${q}` })}`))).toEqual([id]);
});

it("finds records by a tag in both forms", async () => {
  const tags = { [DECOMPOSED]: DECOMPOSED };
  const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, {
    environment: { name: "tagged", tags },
  });
  expect(body.environment.tags).toEqual({ [COMPOSED]: COMPOSED });
  for (const text of [COMPOSED, DECOMPOSED])
    expect(idsIn(await owner.get(`/environments?${new URLSearchParams({ tag: `${text}:${text}` })}`))).toEqual([
      body.environment.id,
    ]);
});

it("keeps the bytes of passwords and URLs", async () => {
  const user = { name: "Ada", email: "bytes@example.com", password: `${DECOMPOSED} horse battery` };
  expect((await staff.post("/users", { user })).status).toBe(201);
  const signIn = (password: string) => owner.post("/tokens", { email: user.email, password });
  const path = `/accounts/${owner.accountId}/webhooks`;
  const url = `https://hooks.example.com/${DECOMPOSED}`;
  expect((await owner.post(path, { webhook: { url } })).body.webhook.url).toBe(url);
  expect((await signIn(user.password.normalize("NFC"))).status).toBe(401);
  expect((await signIn(user.password)).status).toBe(201);
});
