import { countRows, createCaller, createEnvironment } from "../support/api.js";
import { startApiTest } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { accessOf, bodyOf, fillPath, type Operation, parametersOf, paths } from "./document.js";
import { OTHERS, referencesIn, sampleBody, withValue } from "./inputs.js";

type Method = "post" | "put" | "patch" | "delete";

const { api, db, owner } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
const provider = await db.provider.findUniqueOrThrow({ where: { id: Number(fixtures.providers) } });
const { id: emptyEnvironment } = await createEnvironment(db, provider);
const staff = await createCaller(api, { staff: true, reason: "a test" });

/** Collections whose records end in their own way. */
const OTHERWISE = ["users", "tokens", "invitations", "providers"];
/** What is accepted on a deleted record: it creates nothing that needs the record. */
const ACCEPTED = /\/(detach|blueprints?)$/;

const tables = await db.$queryRaw<{ name: string }[]>`
  SELECT table_name AS name FROM information_schema.columns WHERE table_schema = 'public' AND column_name = 'deleted_at'`;
const canBeDeleted = (collection: string) =>
  !OTHERWISE.includes(collection) && tables.some(({ name }) => name === collection.replaceAll("-", "_"));

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).flatMap(([method, operation]) =>
    method === "get" || ACCEPTED.test(path) ? [] : [{ path, method: method as Method, operation }],
  ),
);

interface Case {
  method: Method;
  path: string;
  operation: Operation;
  /** The parameter of the body that names the record; empty if the path does. */
  parameter: string;
  collection: string;
}
const cases = operations.flatMap(({ path, method, operation }): Case[] => {
  const schema = bodyOf(operation);
  const inPath = parametersOf(path).map(({ collection }) => ({ parameter: "", collection }));
  const inBody = schema
    ? referencesIn(schema, fixtures).map(([parameter, collection]) => ({ parameter, collection }))
    : [];
  return [...inPath, ...new Map(inBody.map((each) => [each.parameter, each])).values()]
    .filter(({ collection }) => canBeDeleted(collection))
    .map((each) => ({ path, method, operation, ...each }));
});

async function setDeleted(collection: string, id: string, deletedAt: Date | null): Promise<void> {
  const table = collection.replaceAll("-", "_");
  await db.$executeRawUnsafe(`UPDATE "${table}" SET deleted_at = $1 WHERE id::text = $2`, deletedAt, id);
}

it.each(cases)("$method $path refuses a deleted record of $collection $parameter", async (each) => {
  const { method, path, operation, parameter, collection } = each;
  const own = path.endsWith("/boot") ? { ...fixtures, environments: emptyEnvironment } : fixtures;
  const schema = bodyOf(operation);
  const plansOnly = operation.parameters?.some(({ name }) => name === "dry_run") ? "?dry_run=true" : "";
  const sample =
    schema && (sampleBody(schema, { fixtures: own, others: { ...OTHERS, email: "a@example.com" } }) as object);
  const body = sample && parameter ? withValue(sample, parameter, own[collection]) : sample;
  const caller = accessOf(path, method).staff ? staff : owner;
  const id = String(own[collection]);
  await setDeleted(collection, id, new Date());
  try {
    const before = await countRows(db);
    const { status, body: answer } = await caller[method](`${fillPath(path, own)}${plansOnly}`, body);
    expect([status, answer.errors]).toEqual([409, [expect.stringMatching(/ was (already )?deleted/)]]);
    expect(await countRows(db)).toEqual(before);
  } finally {
    await setDeleted(collection, id, null);
  }
});
