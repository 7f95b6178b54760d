import type { Db } from "@gantry/db";
import { expireLease, testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import { HERE, provisionNetwork, requestOf, unreachableFor } from "@gantry/test/support/request-runs";
import { until } from "@gantry/test/support/until";
import { openNetwork } from "@gantry/test/support/work";
import { describe, expect, it } from "vitest";
import { type Claim, claim } from "./claim.js";
import { fencedDb } from "./fenced-db.js";
import { runRequest } from "./run.js";

const { database, account } = await startEngineTest();

describe("a worker that lost its lease", () => {
  it("can write nothing more, and removes an object that only it knows", async () => {
    const { db } = database;
    const cloud = new FakeCloud();
    const { requestId, networkId } = await openNetwork(db, account);
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

  it("is refused every write to a record by its old fence", async () => {
    const { db } = database;
    const { requestId, networkId } = await openNetwork(db, account);
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

describe("a worker starts no call to the cloud that could outlast its lease", () => {
  async function claimBriefly(db: Db): Promise<Claim> {
    const { requestId } = await openNetwork(database.db, account);
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

  it("while the database is unreachable for renewals", async () => {
    await expectToRunOut(await claimBriefly(unreachableFor(database.db, "SET lease_until")));
  });
});
