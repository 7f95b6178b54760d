import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { Prisma } from "@gantry/db";
import { RUNNABLE } from "@gantry/requests";
import { createPlainAccount } from "../support/account.js";
import { endRequest } from "../support/api-test.js";
import { cloneDatabase, type TestDatabase } from "../support/stack.js";
import { createRequestOf, requestNetwork } from "../support/work.js";

const query = readFileSync(
  fileURLToPath(new URL("../../deploy/helm/gantry/files/requests-that-need-a-slot.sql", import.meta.url)),
  "utf8",
);

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("counts in PostgreSQL the Requests that run, and those that a worker could run", async () => {
  const { db } = database;
  const tenant = await createPlainAccount(db);
  const networks = await Promise.all(Array.from({ length: 5 }, () => requestNetwork(db, tenant)));
  const [due, lost, running, asleep, ended] = networks.map(({ requestId }) => requestId);
  const setTimes = (id: string | undefined, dueInSeconds: number, leaseSeconds: number | null) => db.$executeRaw`
    UPDATE requests SET next_run_at = now() + make_interval(secs => ${dueInSeconds}),
      started_at = CASE WHEN ${leaseSeconds}::int IS NULL THEN NULL ELSE now() END,
      lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
    WHERE id = ${id}::uuid`;
  await setTimes(due, -90, null);
  await setTimes(lost, -30, -1);
  await setTimes(running, -900, 3600);
  await setTimes(asleep, 3600, null);
  await endRequest(db, ended ?? "");
  const blocked = { type: "network", id: networks[2]?.networkId ?? "" } as const;
  await createRequestOf(db, tenant, "deprovision_network", blocked, {});

  const counted = await db.$queryRaw<object[]>(Prisma.raw(query));
  expect(counted).toEqual([{ count: 3n }]);
  const [expected] = await db.$queryRaw<object[]>`
    SELECT count(*) FROM requests r WHERE r.finished_at IS NULL AND (r.lease_until >= now() OR (${RUNNABLE}))`;
  expect(counted).toEqual([expected]);
  const words = (sql: string) => sql.replace(/\s+/g, " ").trim();
  expect(words(query)).toContain(words(RUNNABLE.sql));
});
