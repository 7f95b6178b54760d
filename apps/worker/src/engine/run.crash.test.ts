import { Crash, crashingDb, testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { liveObjectsOf, requestOf, rethrowCrash, runToEnd } from "@gantry/test/support/request-runs";
import { requestNetwork } from "@gantry/test/support/work";
import { runRequest } from "./run.js";

const { database, account } = await startEngineTest();

const cloudPoints = ["create cluster", "sync cluster", "create node", "sync node"].flatMap((call) => [
  { call, when: "before" as const },
  { call, when: "after" as const },
]);

/** A cloud in which every call at the point throws. */
function cloudThatFailsAt(point: (typeof cloudPoints)[number], error: Error): FakeCloud {
  const cloud = new FakeCloud();
  cloud.onCall = (name, when) => {
    if (name === point.call && when === point.when) throw error;
  };
  return cloud;
}

describe("a crash", () => {
  it("before or after any statement leaves one of every object when another worker has continued", async () => {
    const statements = await countStatements();
    expect(statements).toBeGreaterThan(10);
    for (let nth = 1; nth <= statements; nth++) {
      for (const when of ["before", "after"] as const) {
        const cloud = new FakeCloud();
        const { requestId } = await requestNetwork(database.db, account);
        const { db } = crashingDb(database.url, nth, when);
        await runRequest(testEngine(database, cloud, { db, classify: rethrowCrash }), requestId).catch(() => {});
        await db.$disconnect();
        await expectOneOfEach(cloud, requestId, `${when} statement ${nth}`);
      }
    }
  });

  it.each(cloudPoints)("$when $call leaves one of every object when another worker has continued", async (point) => {
    const cloud = cloudThatFailsAt(point, new Crash());
    const { requestId } = await requestNetwork(database.db, account);
    await runRequest(testEngine(database, cloud, { classify: rethrowCrash }), requestId);
    expect((await requestOf(database.db, requestId)).finishedAt).toBeNull();
    cloud.onCall = () => {};
    await expectOneOfEach(cloud, requestId, `${point.when} ${point.call}`);
  });
});

it.each(cloudPoints)("a permanent error $when $call leaves no object", async (point) => {
  const cloud = cloudThatFailsAt(point, new Error("for good"));
  const { requestId } = await requestNetwork(database.db, account);
  const engine = testEngine(database, cloud, { classify: () => ({ kind: "permanent", message: "No" }) });
  await runRequest(engine, requestId);
  expect(cloud.objects.size).toBe(0);
  expect(await requestOf(database.db, requestId)).toMatchObject({ message: "No", leakedResources: [] });
});

async function countStatements(): Promise<number> {
  const { requestId } = await requestNetwork(database.db, account);
  const { db, statements } = crashingDb(database.url, Number.POSITIVE_INFINITY, "after");
  await runRequest(testEngine(database, new FakeCloud(), { db }), requestId);
  await db.$disconnect();
  return statements();
}

/** Runs the Request to its end on another worker and compares the cloud with the ledger. */
async function expectOneOfEach(cloud: FakeCloud, requestId: string, point: string): Promise<void> {
  await runToEnd(testEngine(database, cloud), requestId);
  const { successful } = await requestOf(database.db, requestId);
  const created = { cluster: cloud.idsOf("cluster").length, node: cloud.idsOf("node").length };
  expect({ point, successful, ...created }).toEqual({ point, successful: true, cluster: 1, node: 2 });
  const ledger = (await liveObjectsOf(database.db, requestId)).map(({ cloudId }) => cloudId).sort();
  expect(ledger).toEqual([...cloud.objects.keys()].sort());
}
