import { createPlainAccount } from "@gantry/test/support/account";
import { expireLease, type TestEngine, testEngine, wakeUp } from "@gantry/test/support/engine";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import {
  cancel,
  HERE,
  liveObjectsOf,
  provisionNetwork,
  requestOf,
  unreachableFor,
} from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { requestNetwork } from "@gantry/test/support/work";
import type { CloudKind } from "./cloud-kind.js";
import { runRequest } from "./run.js";
import { notYet, permanent, type StageError } from "./stage-errors.js";
import { duringChange } from "./with-lease.js";

let database: TestDatabase;
let cloud: FakeCloud;
/** Whether the cloud does not show created objects yet. */
let isHidden: boolean;
/** The error of the call whose answer is lost. */
let lost: Error;

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(() => {
  [cloud, isHidden, lost] = [new FakeCloud(), true, new Error("socket hang up")];
});
afterAll(() => database.drop());

/** A kind whose first create call makes the cluster and loses the answer. */
function lostCluster(strategy: CloudKind<FakeCloud>["strategy"]): CloudKind<FakeCloud, object> {
  return {
    ...cluster,
    strategy,
    find: findVisible,
    create: async (...args) => {
      const id = await cluster.create(...args);
      if (cloud.idsOf("cluster").length === 1) throw lost;
      return id;
    },
  };
}

const findVisible: typeof cluster.find = async (...args) => (isHidden ? [] : cluster.find(...args));

/** An engine whose stage ensures one object of the kind and throws `error`, if any, during the create call. */
function engineWith(kind: CloudKind<FakeCloud, object>, error?: StageError): TestEngine {
  const workflows = provisionNetwork(async (context) => {
    const creating = context.cloud(HERE).ensure(kind, {});
    if (error) throw error;
    await creating;
  });
  return testEngine(database, cloud, {
    workflows,
    kinds: new Map([["cluster", kind]]),
    visibilitySeconds: 60,
    classify: (thrown) => (thrown === lost ? { kind: "retry", message: "lost" } : undefined),
  });
}

/** Runs a new Request once; `runAgain` runs it again and returns whether it has ended. */
async function start(engine: TestEngine): Promise<{ requestId: string; runAgain: () => Promise<boolean> }> {
  const { db } = database;
  const { requestId } = await requestNetwork(db, await createPlainAccount(db));
  await runRequest(engine, requestId).catch(() => {});
  const runAgain = async () => {
    await wakeUp(db, requestId);
    await runRequest(engine, requestId);
    return (await requestOf(db, requestId)).finishedAt !== null;
  };
  return { requestId, runAgain };
}

describe("an object of a lost create call that the cloud does not show yet", () => {
  it.each(["tag", "name"] as const)("is waited for before the call is repeated: found by %s", async (strategy) => {
    const { runAgain } = await start(engineWith(lostCluster(strategy)));
    expect(await runAgain()).toBe(false);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    isHidden = false;
    expect(await runAgain()).toBe(true);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it.each(["tag", "name", "token"] as const)("is waited for before a rollback ends: found by %s", async (strategy) => {
    lost = permanent("refused");
    const { runAgain } = await start(engineWith(lostCluster(strategy)));
    expect(await runAgain()).toBe(false);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    isHidden = false;
    expect(await runAgain()).toBe(true);
    expect(cloud.idsOf("cluster")).toEqual([]);
  });
});

const passing = notYet("a free slot", { retryInSeconds: 30 });

describe.each<[string, () => Promise<string>]>([
  ["was not sent", () => Promise.reject(passing)],
  [
    "was refused by the cloud",
    () =>
      duringChange(
        () => Promise.reject(passing),
        (error) => error === passing,
      ),
  ],
])("an object whose create call %s", (_how, failOnce) => {
  /** The searches for created objects. */
  let searches: number;
  let kind: CloudKind<FakeCloud, object>;
  beforeEach(() => {
    searches = 0;
    let failures = 1;
    kind = {
      ...cluster,
      find: async () => {
        searches += 1;
        return [];
      },
      create: (...args) => (failures-- > 0 ? failOnce() : cluster.create(...args)),
    };
  });

  it("is created by the next run without a search or a wait", async () => {
    const { runAgain } = await start(engineWith(kind));
    expect(await runAgain()).toBe(true);
    expect([cloud.idsOf("cluster"), searches]).toEqual([["cluster-1"], 0]);
  });

  it("is created by a worker that takes the Request over without a search or a wait", async () => {
    const { requestId, runAgain } = await start(engineWith(kind));
    await database.db.$executeRaw`
      UPDATE requests SET lease_until = now() - interval '1 second' WHERE id = ${requestId}::uuid`;
    expect(await runAgain()).toBe(true);
    expect([cloud.idsOf("cluster"), searches]).toEqual([["cluster-1"], 0]);
  });

  it("is not waited for by a rollback", async () => {
    const { requestId, runAgain } = await start(engineWith(kind));
    await cancel(database.db, requestId);
    expect(await runAgain()).toBe(true);
    expect(searches).toBe(0);
    expect(await liveObjectsOf(database.db, requestId)).toEqual([]);
  });

  it("is waited for if the answer to a later call was lost", async () => {
    const { find, create } = lostCluster("tag");
    let failures = 1;
    const { runAgain } = await start(
      engineWith({ ...kind, find, create: (...args) => (failures-- > 0 ? failOnce() : create(...args)) }),
    );
    for (let runs = 0; runs < 2; runs++) expect(await runAgain()).toBe(false);
    isHidden = false;
    expect(await runAgain()).toBe(true);
    expect(cloud.idsOf("cluster")).toEqual(["cluster-1"]);
  });

  it("is waited for by a rollback if the answer to an earlier call was lost", async () => {
    const { find, create } = lostCluster("token");
    let calls = 0;
    const failing = { ...cluster, strategy: "token", find } as const;
    const { requestId, runAgain } = await start(
      engineWith({ ...failing, create: (...args) => (calls++ === 0 ? create(...args) : failOnce()) }),
    );
    expect([await runAgain(), calls]).toEqual([false, 2]);
    await cancel(database.db, requestId);
    expect(await runAgain()).toBe(false);
    isHidden = false;
    expect(await runAgain()).toBe(true);
    expect(cloud.idsOf("cluster")).toEqual([]);
  });
});

describe("a run writes no result when the database interrupted it", () => {
  it.each([
    [
      "and could not record a created object",
      "SET cloud_id",
      undefined,
      { leaseUntil: null, waitingFor: "the database" },
    ],
    [
      "and could not record a lost call, and keeps its lease",
      "SET attempted_at",
      new Error("socket hang up"),
      { leaseUntil: expect.any(Date), waitingFor: null },
    ],
  ])("%s", async (_what, statement, loss, left) => {
    const kind: CloudKind<FakeCloud, object> = {
      ...cluster,
      create: async (...args) => {
        const id = await cluster.create(...args);
        if (loss) throw loss;
        return id;
      },
    };
    const engine = engineWith(kind, notYet("something else", { retryInSeconds: 0 }));
    const { requestId } = await start({ ...engine, db: unreachableFor(database.db, statement) });
    expect(await requestOf(database.db, requestId)).toMatchObject(left);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });
});

it("waits for an object of a lost worker from the takeover on, even if the create call began long ago", async () => {
  const engine = engineWith({ ...cluster, find: findVisible });
  const { requestId } = await start({ ...engine, db: unreachableFor(database.db, "UPDATE cloud_objects") });
  await database.db.$executeRaw`
    UPDATE cloud_objects SET attempted_at = now() - interval '1 hour' WHERE request_id = ${requestId}::uuid`;
  await expireLease(database.db, requestId);
  await runRequest(engine, requestId);
  expect(cloud.idsOf("cluster")).toHaveLength(1);
  isHidden = false;
  await wakeUp(database.db, requestId);
  await runRequest(engine, requestId);
  const { successful } = await requestOf(database.db, requestId);
  expect([successful, cloud.idsOf("cluster")]).toEqual([true, ["cluster-1"]]);
});
