import type { Prisma } from "@gantry/db";
import { startApiTest } from "@gantry/test/support/api-test";
import { greatestScanOf, startWatchedApi } from "@gantry/test/support/list-statements";
import supertest from "supertest";

const { api, db, owner } = await startApiTest();
const { app, read } = startWatchedApi(api.env);

const FREQUENT = 60_000;
const RARE = 12;
/** A page reads one more than it shows, and may look at the next. */
const PAGE = 22;
await db.$transaction([
  // Without triggers, which would write an event for each.
  db.$executeRaw`SET LOCAL session_replication_role = replica`,
  db.$executeRaw`
    INSERT INTO alerts (id, account_id, environment_id, server_id, external_id, name, message, severity, created_at, updated_at)
    SELECT gen_random_uuid(), ${owner.accountId}::uuid, CASE WHEN i <= ${FREQUENT / 2} THEN 1 END, CASE WHEN i <= ${FREQUENT} THEN 1 END, i::text,
      CASE WHEN i <= ${FREQUENT} THEN 'frequent' ELSE 'rare' END, 'is high', 'warning', now() - i * interval '1 s', now()
    FROM generate_series(1, ${FREQUENT + RARE}::int) AS i`,
]);
await db.$executeRaw`ANALYZE alerts`;

async function get(path: string) {
  const { body, headers } = await supertest(app).get(path).set("Authorization", `Bearer ${owner.token}`);
  const links = [...(headers.link ?? "").matchAll(/<http:\/\/[^/]+([^>]*)>; rel="(\w+)"/g)].map(([, to, rel]) => [
    rel,
    to,
  ]);
  const { next, prev } = Object.fromEntries(links) as { next?: string; prev?: string };
  return {
    ids: body.alerts.map(({ external_id }: { external_id: string }) => Number(external_id)),
    next,
    prev,
    headers,
  };
}

const oldest = Array.from({ length: RARE }, (_, i) => FREQUENT + 1 + i);

it.each(["name=rare", "server"])(
  "finds the few records of %s behind 60,000 others, forward and back",
  async (filter) => {
    let at = await get(`/alerts?${filter}&per_page=5`);
    expect(at.headers["x-total-count"]).toBe(String(RARE));
    const forth = [...at.ids];
    while (at.next) {
      at = await get(at.next);
      forth.push(...at.ids);
    }
    const back = [...at.ids];
    while (at.prev) {
      at = await get(at.prev);
      back.unshift(...at.ids);
    }
    expect([forth, back]).toEqual([oldest, oldest]);
  },
);

it.each(["name=frequent", "name=rare", "name=nothing-has-this", "severity=warning&name=rare", "server", "environment"])(
  "reads only the records of %s for a page",
  async (filter) => {
    read.length = 0;
    await get(`/alerts?${filter}`);
    const [page] = read.filter(({ sql }) => sql.includes(`FROM "alerts"`) && !sql.includes("count(*)"));
    expect((await greatestScanOf(db, page as Prisma.Sql)).rows).toBeLessThanOrEqual(PAGE);
  },
);

it("plans a list for the value that it selects, and other lists once", async () => {
  const isPlannedAgain = async (path: string) => {
    read.length = 0;
    await get(path);
    const ofAlerts = read.filter(({ sql }) => sql.includes(`FROM "alerts"`));
    return ofAlerts.map(({ sql }) => sql.includes("planned for its values"));
  };
  expect([...new Set(await isPlannedAgain("/alerts?name=rare"))]).toEqual([true]);
  expect([...new Set(await isPlannedAgain("/alerts"))]).toEqual([false]);
});
