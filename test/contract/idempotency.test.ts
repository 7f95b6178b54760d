import { countRows, createCaller, createSignIn } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { startPipelineIssuer, trustPipeline } from "../support/pipeline-issuer.js";
import { accessOf, bodyOf, fillPath, type Operation, paths, referred } from "./document.js";
import { OTHERS, sampleBody } from "./inputs.js";

const issuer = await startPipelineIssuer();
afterAll(() => issuer.close());
const { api, db, owner } = await startApiTest({ settings: { TRUSTED_ISSUERS: issuer.url } });
const fixtures = await fillAccount(api, owner, 2);
const identity_token = await trustPipeline(db, issuer, String(fixtures["service-tokens"]));
const signIn = { ...(await createSignIn(db, owner.userId)), identity_token };
const staff = await createCaller(api, { staff: true, reason: "a test" });

type Method = "post" | "put" | "patch" | "delete";
const changes = Object.entries(paths).flatMap(([path, operations]) =>
  Object.entries(operations).flatMap(([method, operation]) =>
    method === "get" ? [] : [{ path, method: method as Method, operation }],
  ),
);

/** The names of the secrets in the answer of an operation, at its top. */
function secretsOf({ responses }: Operation): string[] {
  const schemas = Object.entries(responses).flatMap(([status, { content }]) =>
    status.startsWith("2") && content ? [referred(content["application/json"].schema)] : [],
  );
  return schemas.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, { format }]) => (format === "password" ? [name] : [])),
  );
}

it("every change accepts an Idempotency-Key, except a server's reports", () => {
  const keyless = changes.filter(
    ({ operation }) => !operation.parameters?.some(({ name }) => name === "Idempotency-Key"),
  );
  expect(keyless.map(({ path }) => path)).toEqual(
    changes.flatMap(({ path, method, operation }) =>
      accessOf(path, method).level === "anyone" && secretsOf(operation).length === 0 ? [path] : [],
    ),
  );
});

const secretive = changes.filter(({ operation }) => secretsOf(operation).length > 0);

it.each(secretive)("$method $path creates one secret for one key, and shows it once", async (each) => {
  const { path, method, operation } = each;
  const caller = accessOf(path, method).staff ? staff : owner;
  const schema = bodyOf(operation);
  const body = schema && (sampleBody(schema, { fixtures, others: { ...OTHERS, ...signIn } }) as object);
  const send = () => caller[method](fillPath(path, fixtures), body).set("Idempotency-Key", `${method}:${path}`);
  const first = await send();
  const rows = await countRows(db);
  const again = await send();
  const secrets = secretsOf(operation);
  expect([first.status, again.status]).toEqual([first.status, first.status]);
  for (const name of secrets) expect([first.body[name], again.body[name]]).toEqual([expect.any(String), null]);
  expect(again.body.notice).toContain("already carried out");
  expect(await countRows(db)).toEqual(rows);
  const stored = JSON.stringify(await db.idempotencyKey.findMany());
  for (const name of secrets) expect(stored).not.toContain(first.body[name]);
});

it("knows the operations that show a secret", () => expect(secretive.length).toBeGreaterThan(2));
