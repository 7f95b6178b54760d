import { randomUUID } from "node:crypto";
import { createLog } from "@gantry/runtime";
import { Crash, expireLease, testEngine, wakeUp } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import { HERE, provisionNetwork, requestOf, rethrowCrash, runToEnd } from "@gantry/test/support/request-runs";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { claim } from "./claim.js";
import { runRequest } from "./run.js";
import { notYet, permanent } from "./stage-errors.js";
import { sweep } from "./sweep.js";
import { countCall } from "./with-lease.js";

const { database, account } = await startEngineTest();

describe("a Request", () => {
  it("runs through its stages and records them", async () => {
    const { db } = database;
    const cloud = new FakeCloud();
    const { requestId, networkId } = await requestNetwork(db, account);
    await runRequest(testEngine(database, cloud), requestId);
    const request = await requestOf(db, requestId);
    expect(request).toMatchObject({ successful: true, stage: "create", message: null, leaseUntil: null });
    const stages = await db.requestStage.findMany({ where: { requestId } });
    expect(stages).toMatchObject([{ name: "create", state: "finished", attempts: 1, error: null }]);
    expect(await db.network.findUnique({ where: { id: networkId } })).toMatchObject({ provisionedId: "made" });
    expect([...cloud.objects.values()].every(({ configured }) => configured)).toBe(true);
  });

  it.each([
    ["enters a stage and succeeds", 2, async () => {}],
    ["enters a stage and waits", 2, () => Promise.reject(notYet("A minute", { retryInSeconds: 60 }))],
    ["enters a stage, fails and is rolled back", 3, () => Promise.reject(permanent("No"))],
  ])("triggers a webhook check with each event, where it %s", async (_, events, create) => {
    const { requestId } = await requestNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud(), { workflows: provisionNetwork(create) });
    await runRequest(engine, requestId);
    expect(engine.jobs.webhookChecks).toBe(events);
  });

  it("logs the durations and the calls of the cloud of each run", async () => {
    const { requestId } = await requestNetwork(database.db, account);
    const lines: object[] = [];
    const log = createLog("test", "info", { write: (line) => void lines.push(JSON.parse(line)) });
    let isFirst = true;
    const workflows = provisionNetwork(async ({ cloud }) => {
      await cloud(HERE).call(async () => countCall());
      if (isFirst) throw notYet("A minute", { retryInSeconds: 60 });
      await cloud(HERE).call(async () => countCall());
    });
    const engine = testEngine(database, new FakeCloud(), { workflows, log });
    await runRequest(engine, requestId);
    isFirst = false;
    await wakeUp(database.db, requestId);
    await runRequest(engine, requestId);
    const { traceId } = await requestOf(database.db, requestId);
    const facts = { request: requestId, type: "provision_network", trace_id: traceId, run_ms: expect.any(Number) };
    expect(lines).toMatchObject([
      { msg: "request sleeping", ...facts, fence: 1, aws_calls: 1 },
      { msg: "request finished", ...facts, fence: 2, aws_calls: 2, seconds: expect.any(Number) },
    ]);
  });

  it("removes what it creates after another worker has taken it over and recorded another object", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const cloud = new FakeCloud();
    const takenOver = {
      ...cluster,
      create: async (...[connection, intent]: Parameters<typeof cluster.create>) => {
        const id = await cluster.create(connection, intent);
        await db.request.update({ where: { id: requestId }, data: { fence: 99 } });
        await db.cloudObject.updateMany({ where: { requestId }, data: { cloudId: "of-another-worker" } });
        return id;
      },
    };
    const workflows = provisionNetwork(async ({ cloud }) => void (await cloud(HERE).ensure(takenOver, {})));
    const calls: string[] = [];
    cloud.onCall = (name, when) => when === "before" && calls.push(name);
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(calls).toEqual(["create cluster", "remove cluster"]);
  });

  it("can be claimed as soon as it becomes due", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const engine = testEngine(database, new FakeCloud());
    for (let i = 0; i < 50; i++) {
      await wakeUp(db, requestId);
      const claimed = await claim(engine, requestId);
      expect(claimed?.state.request.fence).toBe(i + 1);
      claimed?.lease.close();
      await db.$queryRaw`UPDATE requests SET lease_until = NULL WHERE id = ${requestId}::uuid`;
    }
  });

  it("runs on one worker even if eight are notified at once", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await requestNetwork(database.db, account);
    const engines = Array.from({ length: 8 }, () => testEngine(database, cloud));
    await Promise.all(engines.map((engine) => runRequest(engine, requestId)));
    expect((await requestOf(database.db, requestId)).fence).toBe(1);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("waits for an earlier one on the same resource, whose end notifies it", async () => {
    const { db } = database;
    const first = await requestNetwork(db, account);
    const resource = { type: "network", id: first.networkId } as const;
    const second = await createRequestOf(db, account, "provision_network", resource, { skipSubnets: true });
    const engine = testEngine(database, new FakeCloud());
    await runRequest(engine, second);
    expect((await requestOf(db, second)).startedAt).toBeNull();
    await runRequest(engine, first.requestId);
    expect(engine.jobs.ids).toContain(second);
    await runRequest(engine, second);
    expect((await requestOf(db, second)).successful).toBe(true);
  });

  it("never starts before an earlier one on the same resource finishes, even if that one's claim was slow", async () => {
    const { db } = database;
    const first = await requestNetwork(db, account);
    const resource = { type: "network", id: first.networkId } as const;
    const second = await createRequestOf(db, account, "provision_network", resource, { skipSubnets: true });
    const engine = testEngine(database, new FakeCloud());
    await db.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT now()`;
      await runRequest(engine, first.requestId);
      const claimed = await claim({ ...engine, db: tx as typeof db }, second);
      claimed?.lease.close();
    });
    const [ended, started] = [await requestOf(db, first.requestId), await requestOf(db, second)];
    expect(started.startedAt?.getTime()).toBeGreaterThanOrEqual(
      ended.finishedAt?.getTime() ?? Number.POSITIVE_INFINITY,
    );
  });

  it("whose notification was lost is notified by the sweep, unless it is blocked or asleep", async () => {
    const { db } = database;
    const { requestId, networkId } = await requestNetwork(db, account);
    const resource = { type: "network", id: networkId } as const;
    const blocked = await createRequestOf(db, account, "provision_network", resource, { skipSubnets: true });
    const { requestId: asleep } = await requestNetwork(db, account);
    await db.request.update({ where: { id: asleep }, data: { nextRunAt: new Date(Date.now() + 60_000) } });
    const engine = testEngine(database, new FakeCloud());
    await sweep(engine);
    const notified = engine.jobs.ids;
    expect(notified).toContain(requestId);
    expect(notified).not.toContain(blocked);
    expect(notified).not.toContain(asleep);
  });

  it("of a type that this worker does not know stays as it is", async () => {
    const { requestId } = await requestNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud(), { workflows: new Map() });
    await sweep(engine);
    await runRequest(engine, requestId);
    expect(engine.jobs.ids).toEqual([]);
    expect(await requestOf(database.db, requestId)).toMatchObject({ fence: 0, finishedAt: null });
  });

  it("past its deadline fails", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    await db.request.update({ where: { id: requestId }, data: { deadlineAt: new Date(Date.now() - 1000) } });
    await runToEnd(testEngine(database, new FakeCloud()), requestId);
    const message = "Did not finish within the limit of 30 minutes";
    expect(await requestOf(db, requestId)).toMatchObject({ successful: false, message });
  });

  it("that has crashed five workers is given up, and its objects are removed", async () => {
    const { db } = database;
    const cloud = new FakeCloud();
    const { requestId } = await requestNetwork(db, account);
    const workflows = provisionNetwork(async (context) => {
      await context.cloud(HERE).ensure(cluster, {});
      throw new Crash();
    });
    const crashing = testEngine(database, cloud, { workflows, classify: rethrowCrash });
    for (let lost = 0; lost < 5; lost++) {
      await runRequest(crashing, requestId);
      expect((await requestOf(db, requestId)).finishedAt).toBeNull();
      await expireLease(db, requestId);
    }
    await runRequest(crashing, requestId);
    const message = "Gave up because 5 workers were lost while they ran this Request";
    expect(await requestOf(db, requestId)).toMatchObject({ message });
    expect(cloud.objects.size).toBe(0);
  });

  it("that does not exist is ignored", async () => {
    const engine = testEngine(database, new FakeCloud());
    await expect(runRequest(engine, randomUUID())).resolves.toBeUndefined();
  });
});

it("a worker that shuts down releases its Request at once without counting an attempt", async () => {
  const { db } = database;
  const cloud = new FakeCloud();
  let isStopping = false;
  cloud.onCall = (name, when) => {
    if (name === "create cluster" && when === "after") isStopping = true;
  };
  const { requestId } = await requestNetwork(db, account);
  await runRequest(testEngine(database, cloud, { isStopping: () => isStopping }), requestId);
  const givenBack = { leaseUntil: null, stageAttempts: 0, finishedAt: null, takeovers: 0 };
  expect(await requestOf(db, requestId)).toMatchObject(givenBack);
  await runRequest(testEngine(database, cloud), requestId);
  expect((await requestOf(db, requestId)).successful).toBe(true);
  const stage = await db.requestStage.findFirst({ where: { requestId } });
  expect(stage).toMatchObject({ name: "create", state: "finished", attempts: 1 });
  expect(cloud.idsOf("cluster")).toHaveLength(1);
});
