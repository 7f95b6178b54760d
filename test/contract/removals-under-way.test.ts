import { randomUUID } from "node:crypto";
import { Prisma } from "@gantry/db";
import { createRequest } from "@gantry/requests";
import {
  collectionOf,
  dependentsOf,
  type RequestType,
  type ResourceType,
  requestTypeDefinition,
  requestTypes,
  resources,
  resourceTypes,
} from "@gantry/resources";
import { countRows, createDatabaseServer } from "../support/api.js";
import { startApiTest, urlOf } from "../support/api-test.js";
import { fillAccount } from "../support/fixtures.js";
import { bodyOf, fillPath, parametersOf, paths, singularOf } from "./document.js";
import { OTHERS, referencesIn, sampleBody } from "./inputs.js";

const { api, db, owner, provider } = await startApiTest();
const fixtures = await fillAccount(api, owner, 1);
// A replica, since a master is removed only with its database.
const master = await createDatabaseServer(db, provider, {
  databaseServiceId: String(fixtures["database-services"]),
});
await db.databaseServer.update({
  where: { id: String(fixtures["database-servers"]) },
  data: { replicationSourceId: master.id },
});

type Method = "post" | "put" | "patch" | "delete";
interface Call {
  method: Method;
  path: string;
  body?: object;
  /** The collections of the records that it names. */
  named: string[];
}

const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method as Method, operation })),
);
const has = (body: object, path: string) =>
  path.split(".").reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], body) != null;

/** Each operation that may create a Request and answer it, as a dry run of what it needs at least. */
const opening = operations.flatMap(({ path, method, operation }): Call[] => {
  if (!operation.parameters?.some(({ name }) => name === "dry_run")) return [];
  const schema = bodyOf(operation);
  const body = schema && (sampleBody(schema, { fixtures, others: OTHERS }) as object);
  const references = body ? referencesIn(schema, fixtures).filter(([name]) => has(body, name)) : [];
  const named = [...parametersOf(path), ...references.map(([, collection]) => ({ collection }))];
  const collections = named.map(({ collection }) => collection);
  return [{ method, path: `${path}?dry_run=true`, ...(body && { body }), named: collections }];
});

/** Each operation that changes the tags of a record, and thereby also creates a Request. */
const tagging = operations.flatMap(({ path, method, operation }): Call[] => {
  const collection = parametersOf(path).at(-1)?.collection ?? "";
  const name = singularOf(collection);
  if (method !== "patch" || !bodyOf(operation)?.properties?.[name]?.properties?.tags) return [];
  return [{ method, path, body: { [name]: { tags: { team: "other" } } }, named: [collection] }];
});

const send = ({ method, path, body }: Call) => owner[method](fillPath(path, fixtures), body);

/** The Request that a dry run would create; undefined if the records of the test do not allow it. */
async function openedBy(call: Call): Promise<RequestType | undefined> {
  return (await send(call)).body.plan?.requests[0];
}
const isRemoval = (type: RequestType) => requestTypeDefinition(type).removesRecord !== undefined;
const calls: Call[] = [...tagging];
const rowsBefore = await countRows(db);
for (const call of opening) {
  const type = await openedBy(call);
  if (type && !isRemoval(type)) calls.push(call);
}

const rowsAfter = await countRows(db);

it("changes nothing in a dry run of any operation", () => expect(rowsAfter).toEqual(rowsBefore));

/** The collections of the records that are gone with one. */
async function goneWith(type: ResourceType, id: string): Promise<string[]> {
  const collection = collectionOf(type);
  const found = String(fixtures[collection]) === id ? [collection] : [];
  for (const each of dependentsOf(type)) {
    const rows = await db.$queryRaw<
      { id: string }[]
    >`SELECT id::text FROM ${tableOf(each)} WHERE ${columnTo(type)}::text = ${id}`;
    for (const row of rows) found.push(...(await goneWith(each, row.id)));
  }
  return found;
}
const tableOf = (type: ResourceType) => Prisma.raw(collectionOf(type).replaceAll("-", "_"));
const columnTo = (type: ResourceType) => Prisma.raw(`${type}_id`);

interface Removal {
  type: RequestType;
  resource: { type: ResourceType; id: string | number };
  /** The calls that would create, change or use what it removes. */
  concerned: Call[];
}
const removals: Removal[] = [];
for (const type of Object.keys(requestTypes) as RequestType[]) {
  const removed = requestTypeDefinition(type).removesRecord;
  if (!removed) continue;
  const id = fixtures[collectionOf(removed)] ?? "";
  const gone = await goneWith(removed, String(id));
  const concerned = calls.filter(({ named }) => named.some((collection) => gone.includes(collection)));
  if (concerned.length > 0) removals.push({ type, resource: { type: removed, id }, concerned });
}

it.each(removals)(
  "refuses what would create, change or use what $type removes, and names it",
  async ({ concerned, ...removal }) => {
    const traceId = randomUUID().replaceAll("-", "");
    const request = { ...removal, input: {} as never, accountId: owner.accountId, traceId };
    const { id } = await createRequest(db, request);
    const answers = [];
    for (const call of concerned) {
      const { status, body } = await send(call);
      answers.push({ call: `${call.method} ${call.path}`, status, errors: body.errors, blocking: body.blocking });
    }
    await db.request.update({ where: { id }, data: { finishedAt: new Date() } });
    const sentence = expect.stringContaining(`has an unfinished request: ${removal.type} ${id}`);
    expect(answers).toEqual(
      answers.map(({ call }) => ({ call, status: 409, errors: [sentence], blocking: [urlOf(`requests/${id}`)] })),
    );
  },
);

it("calls operations on most resources", () => {
  const tagged = resourceTypes.filter((type) => resources[type].tagged);
  expect(tagging.length).toBeGreaterThanOrEqual(tagged.length - 1);
  expect(calls.length - tagging.length).toBeGreaterThan(15);
  expect(removals.length).toBeGreaterThan(10);
});
