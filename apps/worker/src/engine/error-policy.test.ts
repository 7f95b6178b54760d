import { randomUUID } from "node:crypto";
import { Crash, expireLease, fakeWorkflow, testEngine, wakeUp } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud, node } from "@gantry/test/support/fake-cloud";
import {
  type FakeWorkflows,
  HERE,
  liveObjectsOf,
  provisionNetwork,
  requestOf,
  rethrowCrash,
  runToEnd,
  workflowsOf,
} from "@gantry/test/support/request-runs";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { ATTEMPT_LIMIT } from "./error-policy.js";
import { runRequest } from "./run.js";
import { notYet, permanent, poll } from "./stage-errors.js";

const { database, account } = await startEngineTest();
let cloud: FakeCloud;

beforeEach(() => {
  cloud = new FakeCloud();
});

/** Workflows that create a cluster and then throw the error that `failure` returns, if any. */
function clusterThen(failure: () => Promise<Error | undefined> | Error | undefined): FakeWorkflows {
  return provisionNetwork(async (context) => {
    await context.cloud(HERE).ensure(cluster, {});
    const error = await failure();
    if (error) throw error;
  });
}

/** The pause of a Request as it was decided: how long ago that was depends on the machine. */
async function secondsUntilDue(requestId: string): Promise<number> {
  const [row] = await database.db.$queryRaw<{ seconds: number }[]>`
    SELECT extract(epoch FROM next_run_at - updated_at)::float8 AS seconds FROM requests WHERE id = ${requestId}::uuid`;
  return row?.seconds ?? 0;
}

/** Lets PostgreSQL refuse to save the ids of cloud objects with the SQLSTATE `state` during `work`. */
async function whileRefusingIds(state: string, work: () => Promise<void>): Promise<void> {
  const { db } = database;
  await db.$executeRawUnsafe(`
    CREATE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${state}'; END $$`);
  await db.$executeRaw`CREATE TRIGGER refuse BEFORE UPDATE OF cloud_id ON cloud_objects EXECUTE FUNCTION refuse_write()`;
  try {
    await work();
  } finally {
    await db.$executeRaw`DROP FUNCTION refuse_write CASCADE`;
  }
}

/** SQLSTATEs of a full disk, a deadlock, a busy lock and a cancelled statement. */
it.each(["53100", "40P01", "55P03", "57014"])(
  "costs no attempt and no takeover if a write fails with %s",
  async (state) => {
    const { db } = database;
    const engine = testEngine(database, cloud, { workflows: clusterThen(() => undefined), visibilitySeconds: 0 });
    const { requestId } = await requestNetwork(db, account);
    await whileRefusingIds(state, async () => {
      for (let run = 0; run <= ATTEMPT_LIMIT; run++) {
        await expect(runRequest(engine, requestId)).rejects.toThrow("refused");
        const released = { leaseUntil: null, stageAttempts: 0, takeovers: 0, finishedAt: null };
        expect(await requestOf(db, requestId)).toMatchObject(released);
        await wakeUp(db, requestId);
      }
    });
    await runToEnd(engine, requestId);
    expect((await requestOf(db, requestId)).successful).toBe(true);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  },
);

describe("a wait", () => {
  it("frees the worker, costs no attempt, and ends in the same stage", async () => {
    const { db } = database;
    let isReady = false;
    const wait = notYet("the cluster to start", { retryInSeconds: 30 });
    const engine = testEngine(database, cloud, { workflows: clusterThen(() => (isReady ? undefined : wait)) });
    const { requestId } = await requestNetwork(db, account);
    await runRequest(engine, requestId);
    const asleep = { waitingFor: "the cluster to start", stageAttempts: 0, leaseUntil: null, finishedAt: null };
    expect(await requestOf(db, requestId)).toMatchObject(asleep);
    expect(await secondsUntilDue(requestId)).toBeGreaterThan(29);
    await runRequest(engine, requestId);
    expect((await requestOf(db, requestId)).fence).toBe(1);
    isReady = true;
    await wakeUp(db, requestId);
    await runRequest(engine, requestId);
    expect((await requestOf(db, requestId)).successful).toBe(true);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("is cut short by a wake that came before the sleep was written", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const workflows = clusterThen(async () => {
      await db.$executeRaw`UPDATE requests SET wake = wake + 1, next_run_at = now() WHERE id = ${requestId}::uuid`;
      return notYet("A child", { retryInSeconds: 60 });
    });
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect((await requestOf(db, requestId)).nextRunAt.getTime()).toBeLessThan(Date.now() + 5000);
  });
});

describe("a transient cloud error", () => {
  const ENDS = [
    ["is met again", new Error("passing")],
    ["is met after a crash", new Crash()],
  ] as const;
  const wait = { reason: "the region to answer", retryInSeconds: 30, limitMinutes: 2 };

  async function startWaiting(workflows = clusterThen(() => new Error("passing")), wanted?: string) {
    const { db } = database;
    const requestId = wanted ?? (await requestNetwork(db, account)).requestId;
    const classify = (error: unknown) => rethrowCrash(error) ?? { kind: "wait" as const, wait };
    const engine = testEngine(database, cloud, { workflows, classify });
    const runAgain = async () => {
      await expireLease(db, requestId);
      await wakeUp(db, requestId);
      await runRequest(engine, requestId);
      return requestOf(db, requestId);
    };
    await runAgain();
    await db.$executeRaw`
      UPDATE request_stages SET started_at = now() - interval '1 hour' WHERE request_id = ${requestId}::uuid`;
    const age = (minutes: number) => db.$executeRaw`
      UPDATE requests SET cloud_wait = cloud_wait || jsonb_build_object('since', now() - make_interval(mins => ${minutes}))
      WHERE id = ${requestId}::uuid`;
    return { runAgain, age, requestId };
  }

  it("has its own time limit, regardless of the stage's earlier duration", async () => {
    const { runAgain } = await startWaiting();
    expect(await runAgain()).toMatchObject({ finishedAt: null, waitingFor: wait.reason });
  });

  it("fails the Request once it has lasted too long", async () => {
    const { runAgain, age } = await startWaiting();
    await age(1);
    expect(await runAgain()).toMatchObject({ finishedAt: null });
    await age(3);
    expect(await runAgain()).toMatchObject({
      successful: false,
      message: "Timed out after waiting 2 minutes for the region to answer",
    });
  });

  it("keeps its time limit if the database interrupts the run that looks again", async () => {
    let isPassed = false;
    const workflows = provisionNetwork(async (context) => {
      if (!isPassed) throw new Error("passing");
      await context.cloud(HERE).ensure(cluster, {});
    });
    const { runAgain, requestId } = await startWaiting(workflows);
    const { cloudWait } = await requestOf(database.db, requestId);
    isPassed = true;
    await whileRefusingIds("53100", () => expect(runAgain()).rejects.toThrow("refused"));
    expect(await requestOf(database.db, requestId)).toMatchObject({ waitingFor: "the database", cloudWait });
  });

  it("has its whole limit again once the Request has progressed", async () => {
    let hasProgressed = false;
    const workflows = provisionNetwork(async ({ recordProgress }) => {
      if (hasProgressed) recordProgress();
      throw new Error("passing");
    });
    const { runAgain, age } = await startWaiting(workflows);
    await age(3);
    hasProgressed = true;
    expect(await runAgain()).toMatchObject({ finishedAt: null, waitingFor: wait.reason });
  });

  it.each([
    ["saved the id of an object", "create cluster", "sync cluster"],
    ["configured an object", "sync cluster", "node"],
    ["removed an object", "remove node", "remove cluster"],
  ])("has its whole limit again, and a stage all its attempts, after a killed run that %s", async (_, first, next) => {
    let [failing, error] = [first, new Error("passing")];
    cloud.onCall = (name, when) => {
      if (when === "before" && name.endsWith(failing)) throw error;
    };
    const isRemoval = first.startsWith("remove");
    const workflows = provisionNetwork(async (context) => {
      for (const kind of [cluster, node]) await context.cloud(HERE).ensure(kind, {});
      if (isRemoval) throw new Error("passing");
    });
    const { runAgain, age, requestId } = await startWaiting(workflows);
    await age(3);
    if (isRemoval) {
      expect((await runAgain()).rollingBackSince).not.toBeNull();
      await age(3);
    }
    await database.db.request.update({ where: { id: requestId }, data: { stageAttempts: ATTEMPT_LIMIT - 1 } });
    [failing, error] = [next, new Crash()];
    const { rollingBackSince } = await runAgain();
    error = new Error("passing");
    const waiting = { finishedAt: null, rollingBackSince, stageAttempts: 0, waitingFor: wait.reason };
    expect(await runAgain()).toMatchObject(waiting);
  });

  it.each(ENDS)("has its whole limit again in a rollback, where it %s", async (_, first) => {
    const { runAgain, age } = await startWaiting();
    const errors = [first];
    cloud.onCall = (name) => {
      if (name === "remove cluster") throw errors.pop() ?? new Error("passing");
    };
    await age(3);
    if (first instanceof Crash) expect((await runAgain()).rollingBackSince).not.toBeNull();
    expect(await runAgain()).toMatchObject({ finishedAt: null, waitingFor: wait.reason });
    await age(1);
    expect(await runAgain()).toMatchObject({ finishedAt: null, waitingFor: wait.reason });
    cloud.onCall = () => {};
    expect(await runAgain()).toMatchObject({ successful: false, leakedResources: [] });
    expect(cloud.objects.size).toBe(0);
  });

  it.each(ENDS)("has its whole limit again in the next stage, where it %s", async (_, first) => {
    const passing = () => Promise.reject(new Error("passing"));
    const errors = [first];
    const stages = {
      "remove-replicas": passing,
      destroy: () => (errors.length > 0 ? Promise.reject(errors.pop()) : passing()),
    };
    const type = "deprovision_database_service";
    const service = { type: "database_service", id: randomUUID() } as const;
    const requestId = await createRequestOf(database.db, account, type, service, { finalSnapshotId: null });
    const { runAgain, age } = await startWaiting(workflowsOf(fakeWorkflow({ type, stages })), requestId);
    await age(3);
    stages["remove-replicas"] = async () => undefined as never;
    if (first instanceof Crash) expect((await runAgain()).stage).toBe("destroy");
    expect(await runAgain()).toMatchObject({ finishedAt: null, stage: "destroy", waitingFor: wait.reason });
  });
});

it("a poll runs the stage soon at first and ever less often", async () => {
  const { db } = database;
  const { requestId } = await requestNetwork(db, account);
  const workflows = clusterThen(() => poll("the cluster to start", { everySeconds: 60 }));
  const engine = testEngine(database, cloud, { workflows });
  const delayAfter = async (stageSeconds: number) => {
    await db.$executeRaw`
      UPDATE request_stages SET started_at = now() - make_interval(secs => ${stageSeconds}) WHERE request_id = ${requestId}::uuid`;
    await wakeUp(db, requestId);
    await runRequest(engine, requestId);
    return secondsUntilDue(requestId);
  };
  expect(await delayAfter(0)).toBeLessThan(9);
  expect(await delayAfter(40)).toBeGreaterThan(9);
  expect(await delayAfter(1000)).toBeGreaterThan(59);
});

describe("an error", () => {
  it("that may pass is retried with backoff, and fails the Request after eight attempts", async () => {
    const { db } = database;
    const message = "The region has no capacity for nodes";
    cloud.onCall = (name, when) => {
      if (name === "create node" && when === "before") throw new Error("passing");
    };
    const engine = testEngine(database, cloud, { classify: () => ({ kind: "retry", message }) });
    const { requestId } = await requestNetwork(db, account);
    await runRequest(engine, requestId);
    const firstTry = { stageAttempts: 1, waitingFor: "the next attempt", finishedAt: null };
    expect(await requestOf(db, requestId)).toMatchObject(firstTry);
    await runToEnd(engine, requestId);
    expect(await requestOf(db, requestId)).toMatchObject({ successful: false, message });
    const [stage] = await db.requestStage.findMany({ where: { requestId } });
    expect(stage).toMatchObject({ state: "failed", attempts: 8 });
    expect(cloud.objects.size).toBe(0);
  });

  it("of one stage counts no attempt of the next", async () => {
    const { db } = database;
    let failures = 7;
    const verify = async () => {
      if (failures-- > 0) throw new Error("passing");
    };
    const stages = { "verify-credentials": verify, "discover-locations": () => Promise.reject(new Error("passing")) };
    const workflow = fakeWorkflow({ type: "provision_provider", stages, discard: async () => {} });
    const engine = testEngine(database, cloud, { workflows: workflowsOf(workflow) });
    const resource = { type: "provider", id: account.provider.id } as const;
    const requestId = await createRequestOf(db, account, "provision_provider", resource, {});
    for (let tries = 1; tries <= 8; tries++) {
      await wakeUp(db, requestId);
      await runRequest(engine, requestId);
    }
    const firstTry = { stage: "discover-locations", stageAttempts: 1, finishedAt: null };
    expect(await requestOf(db, requestId)).toMatchObject(firstTry);
  });

  it("that never passes fails the Request at once, removes its objects and deletes the record", async () => {
    const { db } = database;
    const workflows = clusterThen(() => permanent("The cluster is too small"));
    const { requestId, networkId } = await requestNetwork(db, account);
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    const failed = { successful: false, message: "The cluster is too small", leakedResources: [] };
    expect(await requestOf(db, requestId)).toMatchObject(failed);
    expect(cloud.objects.size).toBe(0);
    expect(await liveObjectsOf(db, requestId)).toEqual([]);
    expect((await db.network.findUnique({ where: { id: networkId } }))?.deletedAt).not.toBeNull();
  });
});
