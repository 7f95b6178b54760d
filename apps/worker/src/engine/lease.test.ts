import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@gantry/db";
import { expireLease, testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import { HERE, provisionNetwork, requestOf, unreachableFor } from "@gantry/test/support/request-runs";
import { until } from "@gantry/test/support/until";
import { requestNetwork } from "@gantry/test/support/work";
import { type Claim, claim } from "./claim.js";
import { fencedDb } from "./fenced-db.js";
import { Ledger } from "./ledger.js";
import { runRequest } from "./run.js";
import { LeaseLost } from "./stage-errors.js";

const { database, account } = await startEngineTest();

describe("a worker that lost its lease", () => {
  it("can write nothing more, and removes an object that only it knows", async () => {
    const { db } = database;
    const cloud = new FakeCloud();
    const { requestId, networkId } = await requestNetwork(db, account);
    const successor = testEngine(database, cloud);
    let isTakenOver = false;
    // The successor runs the whole Request during the create call of the stale worker.
    const slowCluster: typeof cluster = {
      ...cluster,
      create: async (fakeCloud, intent) => {
        if (!isTakenOver) {
          isTakenOver = true;
          await expireLease(db, requestId);
          await runRequest(successor, requestId);
        }
        return cluster.create(fakeCloud, intent);
      },
    };
    const workflows = provisionNetwork(async (context) => {
      await context.cloud(HERE).ensure(slowCluster, {});
      await context.db.network.update({ where: { id: networkId }, data: { provisionedId: "stale" } });
    });
    await runRequest(testEngine(database, cloud, { workflows, kinds: new Map() }), requestId);
    expect(isTakenOver).toBe(true);
    expect((await requestOf(db, requestId)).successful).toBe(true);
    expect(await db.network.findUnique({ where: { id: networkId } })).toMatchObject({ provisionedId: "made" });
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it.each([0, 1])("cannot write to the ledger with its old fence, after %i failures", async (stageAttempts) => {
    const { db } = database;
    const { requestId, networkId } = await requestNetwork(db, account);
    await db.request.update({ where: { id: requestId }, data: { stageAttempts } });
    const engine = testEngine(database, new FakeCloud());
    const lost = (await claim(engine, requestId)) as Claim;
    const ledger = new Ledger(db, lost.state);
    const object = { ...HERE, owner: { type: "network", id: networkId }, kind: "cluster", key: "" };
    const row = await ledger.intend(object, {});
    await expireLease(db, requestId);
    const current = (await claim(engine, requestId)) as Claim;
    const before = await db.cloudObject.findMany({ where: { requestId } });
    const writes = [
      () => ledger.intend({ ...object, key: "other" }, {}),
      () => ledger.recordAttempt(row),
      () => ledger.recordAbsence(row),
      () => ledger.recordTakeover(),
      () => ledger.save(row, "made", true, "Created"),
      () => ledger.markReady(row),
      () => ledger.markRemoved(row),
    ];
    for (const write of writes) await expect(write()).rejects.toThrow(LeaseLost);
    expect(await db.cloudObject.findMany({ where: { requestId } })).toEqual(before);
    expect(await db.requestMessage.count({ where: { requestId } })).toBe(0);
    expect(await requestOf(db, requestId)).toMatchObject({ stageAttempts });
    lost.lease.close();
    current.lease.close();
  });

  it("cannot write to a record with its old fence", async () => {
    const { db } = database;
    const { requestId, networkId } = await requestNetwork(db, account);
    const engine = testEngine(database, new FakeCloud());
    const lost = (await claim(engine, requestId)) as Claim;
    await expireLease(db, requestId);
    const current = (await claim(engine, requestId)) as Claim;
    const staleDb = fencedDb(db, lost.state.request);
    const write = staleDb.network.update({ where: { id: networkId }, data: { name: "stale" } });
    await expect(write).rejects.toThrow("another worker took the Request over");
    const rawWrite = staleDb.$executeRaw`UPDATE networks SET name = 'stale' WHERE id = ${networkId}::uuid`;
    await expect(rawWrite).rejects.toThrow("another worker took the Request over");
    const currentDb = fencedDb(db, current.state.request);
    await currentDb.network.update({ where: { id: networkId }, data: { name: "current" } });
    expect(await db.network.findUnique({ where: { id: networkId } })).toMatchObject({ name: "current" });
    lost.lease.close();
    current.lease.close();
  });
});

describe("the renewals of a worker's leases", () => {
  /** A database that counts the renewals of all leases, and holds them before, and extensions of single leases after. */
  function watched({
    holdRenewals,
    holdExtensions,
  }: {
    holdRenewals?: Promise<void>;
    holdExtensions?: Promise<void>;
  } = {}) {
    const renewals = { sent: 0, done: 0 };
    const db = database.db.$extends({
      query: {
        async $allOperations({ args, query }) {
          const sql = JSON.stringify(args);
          if (!sql.includes("SKIP LOCKED")) {
            const result = await query(args);
            if (sql.includes("SET lease_until")) await holdExtensions;
            return result;
          }
          renewals.sent += 1;
          await holdRenewals;
          const result = await query(args);
          renewals.done += 1;
          return result;
        },
      },
    });
    return { db: db as unknown as Db, renewals };
  }

  const engineOn = (db: Db) => testEngine(database, new FakeCloud(), { db, leaseSeconds: 0.4, callSeconds: 60 });

  async function claimOn(engine: ReturnType<typeof engineOn>): Promise<Claim> {
    const { requestId } = await requestNetwork(database.db, account);
    return (await claim(engine, requestId)) as Claim;
  }

  async function endOf({ state }: Claim): Promise<number> {
    const { leaseUntil } = await requestOf(database.db, state.request.id);
    return Number(leaseUntil);
  }

  it("renew each one that is held, but none that another worker has taken over", async () => {
    const { db, renewals } = watched();
    const engine = engineOn(db);
    const [first, second, lost] = await Promise.all([claimOn(engine), claimOn(engine), claimOn(engine)]);
    await database.db.request.update({ where: { id: lost.state.request.id }, data: { fence: 99 } });
    const lostUntil = await endOf(lost);
    const before = [await endOf(first), await endOf(second)];
    // The second renewal that is done from now on has started after both were read.
    const from = renewals.done;
    await until(async () => renewals.done > from + 1);
    const after = [await endOf(first), await endOf(second)];
    expect(after.map((end, index) => end > (before[index] as number))).toEqual([true, true]);
    expect(await endOf(lost)).toBe(lostUntil);
    for (const { lease } of [first, second, lost]) lease.close();
    const { sent } = renewals;
    await sleep(500);
    expect(renewals.sent).toBe(sent);
  });

  it("leave the lease to a change that has started, and shorten it afterwards", async () => {
    const { db, renewals } = watched();
    const claimed = await claimOn(engineOn(db));
    const change = Promise.withResolvers<void>();
    const started = Promise.withResolvers<number>();
    const changing = claimed.lease.duringChange(async () => {
      started.resolve(await endOf(claimed));
      await change.promise;
    });
    const duringChange = await started.promise;
    const from = renewals.done;
    await until(async () => renewals.done > from + 1);
    expect(await endOf(claimed)).toBe(duringChange);
    change.resolve();
    await changing;
    await until(async () => (await endOf(claimed)) < duringChange);
    claimed.lease.close();
  });

  it("shorten no lease of a change that begins while they run", async () => {
    const gate = Promise.withResolvers<void>();
    const { db, renewals } = watched({ holdRenewals: gate.promise });
    const claimed = await claimOn(engineOn(db));
    await until(async () => renewals.sent > 0);
    const changing = claimed.lease.duringChange(async () => {
      await until(async () => renewals.done > 0);
      return endOf(claimed);
    });
    // A change that did not wait would extend the lease now, and the renewal would shorten it again.
    await sleep(300);
    gate.resolve();
    const { createdAt } = await requestOf(database.db, claimed.state.request.id);
    expect(await changing).toBeGreaterThan(Number(createdAt) + 60_000);
    claimed.lease.close();
  });

  it("shorten no lease whose extension has started", async () => {
    const gate = Promise.withResolvers<void>();
    const { db, renewals } = watched({ holdExtensions: gate.promise });
    const claimed = await claimOn(engineOn(db));
    // As if it had run out while no renewal was answered.
    claimed.lease.shortenTo(0);
    const held = claimed.lease.assertHeld();
    const { createdAt } = await requestOf(database.db, claimed.state.request.id);
    await until(async () => (await endOf(claimed)) > Number(createdAt) + 60_000);
    const from = renewals.done;
    await until(async () => renewals.done > from + 1);
    gate.resolve();
    await held;
    const duringChange = await claimed.lease.duringChange(() => endOf(claimed));
    expect(duringChange).toBeGreaterThan(Number(createdAt) + 60_000);
    claimed.lease.close();
  });

  it("wait for no row that is locked", async () => {
    const { db } = watched();
    const engine = engineOn(db);
    const [locked, free] = await Promise.all([claimOn(engine), claimOn(engine)]);
    await database.db.$transaction(
      async (tx) => {
        await tx.$queryRaw`SELECT id FROM requests WHERE id = ${locked.state.request.id}::uuid FOR UPDATE`;
        const before = await endOf(free);
        await until(async () => (await endOf(free)) > before);
      },
      { timeout: 600_000 },
    );
    const before = await endOf(locked);
    await until(async () => (await endOf(locked)) > before);
    for (const { lease } of [locked, free]) lease.close();
  });
});

describe("a worker starts no call to the cloud that could outlast its lease", () => {
  async function claimBriefly(db: Db): Promise<Claim> {
    const { requestId } = await requestNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud(), { db, leaseSeconds: 0.2, callSeconds: 0.15 });
    return (await claim(engine, requestId)) as Claim;
  }

  async function expectToRunOut({ lease }: Claim): Promise<void> {
    const isOver = () =>
      lease.assertHeld().then(
        () => false,
        () => true,
      );
    await until(isOver);
    await expect(lease.assertHeld()).rejects.toThrow("the lease ran out");
    lease.close();
  }

  it("after another worker took the Request over", async () => {
    const claimed = await claimBriefly(database.db);
    await database.db.request.update({ where: { id: claimed.state.request.id }, data: { fence: 99 } });
    await expectToRunOut(claimed);
  });

  it("and tries to extend a lease that lasts until the database answers", async () => {
    let refusals = 2;
    const db = database.db.$extends({
      query: {
        $allOperations: ({ args, query }) => {
          const sql = JSON.stringify(args);
          const isExtension = sql.includes("SET lease_until") && !sql.includes("SKIP LOCKED");
          if (!isExtension || refusals === 0) return query(args);
          refusals -= 1;
          throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
        },
      },
    }) as unknown as Db;
    const { requestId } = await requestNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud(), { db, leaseSeconds: 3600, callSeconds: 7200 });
    const { lease } = (await claim(engine, requestId)) as Claim;
    expect(await lease.duringChange(async () => "changed")).toBe("changed");
    expect(refusals).toBe(0);
    lease.close();
  });

  it("while the database is unreachable for renewals", async () => {
    await expectToRunOut(await claimBriefly(unreachableFor(database.db, "SET lease_until")));
  });
});
