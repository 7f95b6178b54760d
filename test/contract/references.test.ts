import { randomUUID } from "node:crypto";
import {
  countRows,
  createAddress,
  createCaller,
  createEnvironment,
  createSignIn,
  type TestCaller,
} from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { type Fixtures, fillAccount } from "../support/fixtures.js";
import { startPipelineIssuer } from "../support/pipeline-issuer.js";
import { accessOf, bodyOf, fillPath, paths, type Schema } from "./document.js";
import { OTHERS, referencesIn, sampleBody, withValue } from "./inputs.js";

const issuer = await startPipelineIssuer();
afterAll(() => issuer.close());
const { api, db, owner, provider } = await startApiTest({ settings: { TRUSTED_ISSUERS: issuer.url } });
const { id: emptyEnvironment } = await createEnvironment(db, provider);
const fixtures = await fillAccount(api, owner, 2);
const staff = await createCaller(api, { staff: true, reason: "a test" });
// A volume that can be attached.
await db.volume.update({ where: { id: Number(fixtures.volumes) }, data: { serverId: null } });
/** A caller with a second account. */
const both = await createCaller(api, { accountId: owner.accountId });
const second = await createCaller(api);
const theirs = await fillAccount(api, second, 1);
await db.membership.create({
  data: { id: randomUUID(), accountId: second.accountId, userId: both.userId, role: "owner" },
});
/** The ids of records that do not exist. */
const UNOWNED = { number: 2_000_000_000, string: "0190c4a2-dead-7111-8111-111111111111" };

/** A sample whose sign-in, if it needs one, is the caller's. */
async function sampleOf(schema: Schema, own: Fixtures, { userId }: TestCaller): Promise<object> {
  const signIn = schema.properties?.code_verifier && (await createSignIn(db, userId));
  const identity_token = issuer.token(issuer.subject);
  return sampleBody(schema, { fixtures: own, others: { ...OTHERS, ...signIn, identity_token } }) as object;
}

const cases = Object.entries(paths).flatMap(([path, operations]) =>
  (["post", "put", "patch"] as const).flatMap((method) => {
    const schema = bodyOf(operations[method]);
    const references = schema ? referencesIn(schema, fixtures) : [];
    const named = new Map(references);
    return [...named].map(([parameter, collection]) => ({ method, path, schema, parameter, collection }));
  }),
);

it.each(cases)("$method $path answers 404 and names $parameter if it leads to no record", async (each) => {
  const { method, path, schema = {}, parameter, collection } = each;
  const own = path.endsWith("/boot") ? { ...fixtures, environments: emptyEnvironment } : fixtures;
  const id = UNOWNED[typeof fixtures[collection] as keyof typeof UNOWNED];
  const sample = await sampleOf(schema, own, owner);
  for (const value of [id, `http://gantry.test/${collection}/${String(id).toUpperCase()}`]) {
    const caller = accessOf(path, method).staff ? staff : owner;
    const { status, body } = await caller[method](fillPath(path, own), withValue(sample, parameter, value));
    expect([status, body.errors]).toEqual([404, [`${parameter}: not found`]]);
    expect(body.details).toEqual([{ path: parameter, message: "not found" }]);
  }
});

/** Bodies whose other parameters, or whose path, name the account. */
const mixed = cases.filter(({ path, schema = {}, parameter }) => {
  const sample = sampleBody(schema, { fixtures, others: OTHERS }) as object;
  const sent = Object.keys(withValue(sample, parameter, 1)).filter((name) => name !== parameter);
  return /\{(?!user)/.test(path) || referencesIn(schema, fixtures).some(([name]) => sent.includes(name));
});

it.each(mixed)("$method $path refuses a $parameter of another account of its caller", async (each) => {
  const { method, path, schema = {}, parameter, collection } = each;
  const own = path.endsWith("/boot") ? { ...fixtures, environments: emptyEnvironment } : fixtures;
  const sample = await sampleOf(schema, own, both);
  const before = await countRows(db);
  const { status, body } = await both[method](fillPath(path, own), withValue(sample, parameter, theirs[collection]));
  expect([status, body.errors]).toEqual([
    status === 404 ? 404 : 422,
    [expect.stringMatching(/not found|belongs to another account|does not belong to|is not in/)],
  ]);
  expect(await countRows(db)).toEqual(before);
});

it("sends records of two accounts in many ways", () => expect(mixed.length).toBeGreaterThan(12));

it("distinguishes the records of the path and the body if both have the same id", async () => {
  const { id } = await createAddress(db, provider, { id: 1_999_999 });
  const inBody = await owner.post(`/addresses/${id}/attach`, { server: id });
  expect([inBody.status, inBody.body.details]).toEqual([404, [{ path: "server", message: "not found" }]]);
  const inPath = await owner.post(`/firewalls/${UNOWNED.number}/rules`, { firewall_rule: { source: UNOWNED.number } });
  expect([inPath.status, inPath.body.details]).toEqual([404, []]);
});
