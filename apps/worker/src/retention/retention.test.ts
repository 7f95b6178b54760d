import { randomUUID } from "node:crypto";
import { IDEMPOTENCY_KEY_DAYS } from "@gantry/requests";
import { createPlainAccount } from "@gantry/test/support/account";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { removeOldRequests } from "./old-requests.js";
import { claimPass, type Pass } from "./pass-lease.js";
import { runRetentionPass } from "./retention.js";

const DAYS = 90;

let database: TestDatabase;
let accountId: string;
let providerId: number;
beforeEach(async () => {
  database = await cloneDatabase();
  const { accountId: id, provider } = await createPlainAccount(database.db);
  [accountId, providerId] = [id, provider.id];
});
afterEach(() => database.drop());

const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 60 * 60 * 1000);
const never = new AbortController().signal;
const run = (size = 200) => runRetentionPass(database.db, { days: DAYS, size, pause: 0 }, never);

/** A Request that ended 91 days ago, with a stage, a message and an event. */
async function addRequest(changes: object = {}): Promise<string> {
  const { db } = database;
  const id = randomUUID();
  const old = daysAgo(DAYS + 1);
  const times = { startedAt: old, createdAt: old, finishedAt: old, deadlineAt: old };
  const resource = { resourceType: "network", resourceId: id };
  const data = { id, accountId, type: "provision_network", input: {}, traceId: "t", successful: true };
  await db.request.create({ data: { ...data, ...resource, ...times, ...changes } });
  await db.requestStage.create({ data: { requestId: id, name: "a", position: 0, state: "finished", startedAt: old } });
  await db.requestMessage.create({ data: { id: randomUUID(), requestId: id, message: "done" } });
  return id;
}

function addObject(requestId: string, changes: object = {}) {
  const owner = { resourceType: "network", resourceId: requestId };
  const object = { id: randomUUID(), requestId, accountId, providerId, region: "us-east-1", kind: "vpc", key: "" };
  return database.db.cloudObject.create({ data: { ...object, ...owner, params: {}, ...changes } });
}

async function kept(): Promise<string[]> {
  const rows = await database.db.request.findMany({ orderBy: { seq: "asc" } });
  return rows.map(({ id }) => id);
}

it("removes an old Request with its stages, messages and rows of the ledger, and writes no event", async () => {
  const { db } = database;
  const id = await addRequest();
  await addObject(id, { removedAt: daysAgo(DAYS + 1) });
  const recent = await addRequest({ finishedAt: daysAgo(DAYS - 1) });
  await addObject(recent, { removedAt: daysAgo(DAYS - 1) });
  const events = await db.event.count();

  expect(await run()).toBe(1);
  expect(await kept()).toEqual([recent]);
  const left = [await db.requestStage.findMany(), await db.requestMessage.findMany(), await db.cloudObject.findMany()];
  expect(left.map((rows) => rows.map(({ requestId }) => requestId))).toEqual([[recent], [recent], [recent]]);
  expect(await db.event.count()).toBe(events);
});

it("removes nothing if nothing is old", async () => {
  await addRequest({ finishedAt: daysAgo(DAYS - 1) });
  await addRequest({ finishedAt: null });
  expect(await run()).toBe(0);
  expect(await kept()).toHaveLength(2);
});

it("keeps a Request while an object that it created exists", async () => {
  const id = await addRequest();
  await addObject(id, { cloudId: "vpc-1" });
  expect(await run()).toBe(0);
  expect(await kept()).toEqual([id]);
});

it("keeps a Request that left objects behind", async () => {
  const id = await addRequest({
    successful: false,
    leakedResources: [{ kind: "vpc", id: "vpc-1", region: "us-east-1" }],
  });
  expect(await run()).toBe(0);
  expect(await kept()).toEqual([id]);
});

it("keeps the last success of a type while an object of an earlier Request of this type exists on the record", async () => {
  const failed = await addRequest({ successful: false });
  await addObject(failed, { cloudId: "vpc-1" });
  const onRecord = { resourceId: failed };
  await addRequest({ ...onRecord, type: "discover_network" });
  await addRequest(onRecord);
  const last = await addRequest(onRecord);
  expect(await run()).toBe(2);
  expect(await kept()).toEqual([failed, last]);
});

it("keeps a failed removal of a database that exists, because it names the final snapshot", async () => {
  const { db } = database;
  const addDatabase = async (deletedAt: Date | null) => {
    const id = randomUUID();
    const columns = { id, accountId, providerId, name: id, region: "us-east-1", deletedAt };
    const rds = { serviceLevel: "instance", engine: "postgres", version: "16", masterFlavor: "db.t3.micro" };
    await db.databaseService.create({ data: { ...columns, ...rds } });
    return id;
  };
  const failedRemoval = { type: "deprovision_database_service", resourceType: "database_service", successful: false };
  const id = await addRequest({ ...failedRemoval, resourceId: await addDatabase(null) });
  await addRequest({ ...failedRemoval, resourceId: await addDatabase(daysAgo(1)) });
  expect(await run()).toBe(1);
  expect(await kept()).toEqual([id]);
});

it("removes a finished tree in one batch", async () => {
  const root = await addRequest();
  const child = await addRequest({ parentId: root });
  await addRequest({ parentId: child });
  expect(await run()).toBe(3);
  expect(await kept()).toEqual([]);
});

it("removes children before a parent that ended later, in batches of one", async () => {
  const root = await addRequest();
  const child = await addRequest({ parentId: root, finishedAt: daysAgo(DAYS + 2) });
  await addRequest({ parentId: child, finishedAt: daysAgo(DAYS + 3) });
  expect(await run(1)).toBe(3);
  expect(await kept()).toEqual([]);
});

it("keeps all ancestors of a Request that is kept, and removes its siblings", async () => {
  const root = await addRequest();
  const child = await addRequest({ parentId: root });
  const grandchild = await addRequest({ parentId: child });
  await addObject(grandchild, { cloudId: "vpc-1" });
  await addRequest({ parentId: root });
  expect(await run()).toBe(1);
  expect(await kept()).toEqual([root, child, grandchild]);
});

it("keeps the children of an unfinished parent, and the parent of a recent child", async () => {
  const unfinished = await addRequest({ finishedAt: null });
  const child = await addRequest({ parentId: unfinished });
  const parent = await addRequest();
  const recent = await addRequest({ parentId: parent, finishedAt: daysAgo(1) });
  expect(await run()).toBe(0);
  expect(await kept()).toEqual([unfinished, child, parent, recent]);
});

it("removes the old Requests of every account in batches, past those that it keeps", async () => {
  const keptId = await addRequest({ finishedAt: daysAgo(DAYS + 9) });
  await addObject(keptId, { cloudId: "vpc-1" });
  for (let count = 0; count < 6; count++) await addRequest();
  ({ accountId } = await createPlainAccount(database.db));
  for (let count = 0; count < 4; count++) await addRequest({ finishedAt: daysAgo(DAYS + 1 + count) });
  expect(await run(3)).toBe(10);
  expect(await kept()).toEqual([keptId]);
});

it("skips a locked Request without a wait, and removes it in a later pass", async () => {
  const { db } = database;
  const locked = await addRequest();
  await addRequest();
  await db.$transaction(async (other) => {
    await other.$queryRaw`SELECT 1 FROM requests WHERE id = ${locked}::uuid FOR NO KEY UPDATE`;
    expect(await run()).toBe(1);
  });
  expect(await kept()).toEqual([locked]);
  await makeDue();
  expect(await run()).toBe(1);
});

const makeDue = () => database.db.retentionPass.updateMany({ data: { finishedAt: daysAgo(1) } });

it("runs in one worker at a time, and once an hour", async () => {
  await addRequest();
  expect((await Promise.all([run(), run(), run()])).filter((count) => count !== undefined)).toEqual([1]);
  await addRequest();
  expect(await run()).toBeUndefined();
  await makeDue();
  expect(await run()).toBe(1);
});

it("ends the pass of a worker whose lease another one has taken over", async () => {
  const { db } = database;
  for (let count = 0; count < 2; count++) await addRequest();
  const stalled = await claimPass(db, "requests");
  await db.retentionPass.updateMany({ data: { leaseUntil: daysAgo(1) } });
  expect(await run()).toBe(2);
  const from = { accountId, days: DAYS, size: 10 };
  await addRequest();
  expect(await removeOldRequests(db, from, stalled as Pass, 0)).toBeUndefined();
  expect(await kept()).toHaveLength(1);
});

it("stops after the batch under way, and leaves the rest to the next worker", async () => {
  for (let count = 0; count < 3; count++) await addRequest();
  const stopping = new AbortController();
  stopping.abort();
  await runRetentionPass(database.db, { days: DAYS, size: 1 }, stopping.signal);
  expect(await kept()).toHaveLength(3);
  expect(await run()).toBe(3);
});

it("removes old finished alerts, and keeps those that are raised or finished recently", async () => {
  const { db } = database;
  const add = (name: string, finishedAt: Date | null) =>
    db.alert.create({
      data: { id: randomUUID(), accountId, externalId: name, name, message: "", severity: "warning", finishedAt },
    });
  await add("old", daysAgo(DAYS + 1));
  await add("recent", daysAgo(DAYS - 1));
  const raised = await add("raised", null);
  await db.alert.update({ where: { id: raised.id }, data: { createdAt: daysAgo(DAYS + 1) } });
  await run(1);
  expect((await db.alert.findMany({ orderBy: { name: "asc" } })).map(({ name }) => name)).toEqual(["raised", "recent"]);
});

it("removes old findings of regions that are no longer scanned, and leaves the others to the scans", async () => {
  const { db } = database;
  const addFinding = (region: string, lastSeenAt: Date) =>
    db.drift.create({
      data: {
        id: randomUUID(),
        accountId,
        providerId,
        region,
        finding: "orphan",
        kind: "vpc",
        cloudId: region,
        lastSeenAt,
      },
    });
  const location = { id: randomUUID(), accountId, providerId, locationId: "scanned", locationName: "scanned" };
  await db.providerLocation.create({ data: location });
  const place = { id: location.id, accountId, providerId, region: "scanned", dueAt: new Date() };
  await db.driftRegion.create({ data: { ...place, lastScannedAt: daysAgo(1) } });
  await addFinding("scanned", daysAgo(DAYS + 1));
  await addFinding("not scanned", daysAgo(DAYS + 1));
  await addFinding("recent", daysAgo(DAYS - 1));
  await run(1);
  expect((await db.drift.findMany({ orderBy: { region: "asc" } })).map(({ region }) => region)).toEqual([
    "recent",
    "scanned",
  ]);
});

it("never removes a Request that an idempotency key may still name", () => {
  const envWith = (days: number) => testEnv(database, { REQUEST_RETENTION_DAYS: String(days) });
  expect(() => envWith(IDEMPOTENCY_KEY_DAYS)).toThrow("REQUEST_RETENTION_DAYS");
  expect(envWith(IDEMPOTENCY_KEY_DAYS + 1).REQUEST_RETENTION_DAYS).toBe(IDEMPOTENCY_KEY_DAYS + 1);
  expect(envWith(0).REQUEST_RETENTION_DAYS).toBe(0);
});
