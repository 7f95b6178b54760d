import { randomUUID } from "node:crypto";
import { type Db, Prisma } from "@gantry/db";
import { type EventSelection, readEvents, START } from "@gantry/resources";
import { scansOf } from "@gantry/test/support/query-plan";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";

const LIMIT = 100;
const BACKLOG = 20_000;
const busy = randomUUID();
const quiet = [randomUUID(), randomUUID()];
let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  // Beside many small accounts the planner expects few events of each, although one has a long backlog.
  await database.db.$executeRaw`
    INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
    SELECT account_id, place, 'resource.created', 'server', place::text, '{}' FROM (
      SELECT ${busy}::uuid AS account_id, 2 * n AS place FROM generate_series(1, ${BACKLOG}::int) n
      UNION ALL SELECT md5((n / 5)::text)::uuid, 2 * n + 1 FROM generate_series(1, ${BACKLOG}::int) n
      UNION ALL SELECT unnest(${quiet}::uuid[]), 5) event
    ORDER BY event.place`;
  await database.db.$executeRaw`
    INSERT INTO events (account_id, position, type, subject_type, subject_id, record)
    SELECT ${busy}::uuid, ${2 * BACKLOG} + n, (ARRAY['alert.raised', 'webhook.disabled'])[1 + n % 2], 'address', '1', '{}'
    FROM generate_series(1, ${LIMIT + 20}::int) n`;
  await database.db.$executeRaw`UPDATE event_clocks SET added = ${4 * BACKLOG}`;
  await database.db.$executeRaw`ANALYZE events`;
});
afterAll(() => database.drop());

/** The events of a page, and how many rows of the table PostgreSQL reads for it. */
async function readPage(selection: EventSelection, after: typeof START | undefined, isNewest = false) {
  let rows = 0;
  const explaining = async (strings: TemplateStringsArray, ...values: unknown[]) => {
    const query = Prisma.sql(strings, ...values);
    const scans = await scansOf(database.db, query);
    rows = scans.reduce((sum, scan) => (scan.table === "events" ? sum + scan.rows : sum), 0);
    return database.db.$queryRaw(query);
  };
  const { events } = await readEvents({ $queryRaw: explaining as Db["$queryRaw"] }, selection, after, LIMIT, isNewest);
  return { positions: events.map(({ position }) => Number(position)), rows };
}

it.each([
  ["of one account", [busy]],
  ["of several accounts", [busy, ...quiet]],
])("reads about a page of a backlog %s", async (_, accountIds) => {
  for (const after of [START, { position: BigInt(BACKLOG), seq: 0n }]) {
    const { positions, rows } = await readPage({ accountIds }, after);
    expect(positions).toHaveLength(LIMIT);
    expect(rows).toBeGreaterThan(LIMIT / 2);
    expect(rows).toBeLessThanOrEqual(2 * LIMIT);
  }
});

it("merges the events of several accounts in their order", async () => {
  const { positions } = await readPage({ accountIds: [busy, ...quiet] }, START);
  expect(positions.slice(0, 6)).toEqual([2, 4, 5, 5, 6, 8]);
});

it.each([
  ["of one account", {}, 2 * LIMIT],
  ["of rare types", { types: ["alert.raised", "webhook.disabled"] as const }, 2 * LIMIT],
  ["of one record", { subject: { type: "address", id: "1" } }, 2 * LIMIT],
])("reads the newest events %s from the end of a backlog, in their order", async (_, selection, rows) => {
  const page = await readPage({ accountIds: [busy], ...selection }, START, true);
  expect(page.positions).toEqual(Array.from({ length: LIMIT }, (_each, index) => 2 * BACKLOG + 21 + index));
  expect(page.rows).toBeLessThanOrEqual(rows);
});

it("reads no backlog for a reader that starts now", async () => {
  expect(await readPage({ accountIds: [busy] }, undefined)).toEqual({ positions: [], rows: 0 });
});

it("reads about a page for each Request of a family with a backlog", async () => {
  const { db } = database;
  const accountId = (await db.account.create({ data: { id: randomUUID(), name: "family" } })).id;
  const request = { accountId, type: "provision_network", input: {}, traceId: "", deadlineAt: new Date() };
  const { id: parentId } = await db.request.create({ data: { id: randomUUID(), ...request } });
  const child = await db.request.create({ data: { id: randomUUID(), parentId, ...request } });
  await db.$executeRaw`
    INSERT INTO events (account_id, position, type, subject_type, subject_id, request_id, record)
    SELECT ${accountId}::uuid, n, 'request.stage', 'request', id::text, id, '{}'
    FROM generate_series(1, ${BACKLOG}::int) n, unnest(ARRAY[${parentId}, ${child.id}]::uuid[]) id`;
  await db.$executeRaw`ANALYZE events`;
  const selection = { accountIds: [accountId], requestId: parentId, descendants: new Set<string>() };
  const { positions, rows } = await readPage(selection, { position: BigInt(BACKLOG / 2), seq: 0n });
  expect(positions).toHaveLength(LIMIT);
  expect(rows).toBeLessThanOrEqual(3 * LIMIT);
});
