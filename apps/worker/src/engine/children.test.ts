import { randomUUID } from "node:crypto";
import { createPlainAccount, type TestAccount } from "@gantry/test/support/account";
import { fakeWorkflow, runAllToEnd, type TestEngine, testEngine } from "@gantry/test/support/engine";
import { cluster, FakeCloud, fakeKinds } from "@gantry/test/support/fake-cloud";
import { cancel, HERE, requestOf, workflowsOf } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { createRequestOf } from "@gantry/test/support/work";
import type { Child } from "./children.js";
import { runRequest } from "./run.js";
import { notYet, permanent } from "./stage-errors.js";
import type { Stage } from "./workflow.js";

let database: TestDatabase;
let account: Pick<TestAccount, "accountId" | "provider">;
let cloud: FakeCloud;

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(async () => {
  account = await createPlainAccount(database.db);
  cloud = new FakeCloud();
});
afterAll(() => database.drop());

type AnyStage = Stage<FakeCloud, unknown>;

const nothing = async () => {};
const ownResource = () => ({ type: "provider", id: account.provider.id }) as const;
/** A child on its parent's resource. */
const discovery = (): Child => ({ type: "discover_provider_locations", resource: ownResource(), input: {} });
const creation = (id: string): Child => ({
  type: "provision_network",
  resource: { type: "network", id },
  input: { skipSubnets: true },
});
const removal = (id: string): Child => ({ type: "deprovision_network", resource: { type: "network", id }, input: {} });

/** The parent's workflow: `stage` creates children. */
function parent(stage: AnyStage, { undo = nothing, discard = nothing }: { undo?: AnyStage; discard?: AnyStage } = {}) {
  const stages = { "verify-credentials": stage, "discover-locations": nothing };
  return fakeWorkflow({ type: "provision_provider", stages, undo, discard });
}
const discover = (stage: AnyStage) =>
  fakeWorkflow({ type: "discover_provider_locations", stages: { discover_locations: stage } });
const create = (stage: AnyStage) =>
  fakeWorkflow({ type: "provision_network", stages: { create: stage }, discard: nothing });
const destroy = (stage: AnyStage) => fakeWorkflow({ type: "deprovision_network", stages: { destroy: stage } });

function engineWith(...workflows: Parameters<typeof workflowsOf>): TestEngine {
  return testEngine(database, cloud, { workflows: workflowsOf(...workflows) });
}

const requestParent = () => createRequestOf(database.db, account, "provision_provider", ownResource(), {});

/** Creates a parent and runs it once; returns the children that it created, in their order. */
async function runParent(engine: TestEngine): Promise<{ parentId: string; childIds: string[] }> {
  const parentId = await requestParent();
  await runRequest(engine, parentId);
  const children = await database.db.request.findMany({ where: { parentId }, orderBy: { seq: "asc" } });
  return { parentId, childIds: children.map(({ id }) => id) };
}

describe("a removal", () => {
  const request = (type: "provision_network" | "deprovision_network", id: string) => {
    const input = type === "provision_network" ? { skipSubnets: true } : {};
    return createRequestOf(database.db, account, type, { type: "network", id }, input);
  };
  const never: AnyStage = () => Promise.reject(notYet("the network to become available", { retryInSeconds: 3600 }));

  it("cancels at once what still creates its record, and then removes it", async () => {
    const id = randomUUID();
    const removed: string[] = [];
    const engine = engineWith(
      create(never),
      destroy(async ({ resourceId }) => void removed.push(resourceId)),
    );
    const creating = await request("provision_network", id);
    await runRequest(engine, creating);
    const removing = await request("deprovision_network", id);
    await runRequest(engine, removing);
    expect(engine.jobs.ids.at(-1)).toBe(creating);
    await runRequest(engine, creating);
    await runRequest(engine, removing);
    expect(await requestOf(database.db, creating)).toMatchObject({ successful: false, message: "Cancelled" });
    expect([(await requestOf(database.db, removing)).successful, removed]).toEqual([true, [id]]);
  });

  it("cancels what still creates inside what it removes, and nothing on other records", async () => {
    const [inside, other] = [randomUUID(), randomUUID()];
    const engine = engineWith(
      create(never),
      destroy(nothing),
      parent(({ children }) => children.finish([removal(inside)])),
    );
    const [creating, elsewhere] = [
      await request("provision_network", inside),
      await request("provision_network", other),
    ];
    for (const id of [creating, elsewhere]) await runRequest(engine, id);
    const { parentId, childIds } = await runParent(engine);
    await runRequest(engine, childIds[0] as string);
    for (const id of [creating, childIds[0] as string, parentId]) await runRequest(engine, id);
    expect(await requestOf(database.db, creating)).toMatchObject({ successful: false, message: "Cancelled" });
    expect((await requestOf(database.db, parentId)).successful).toBe(true);
    expect(await requestOf(database.db, elsewhere)).toMatchObject({ finishedAt: null, cancelRequestedAt: null });
  });
});

describe("a parent of one child", () => {
  async function runWithChild(stage: AnyStage) {
    const engine = engineWith(
      parent(({ children }) => children.finish([discovery()])),
      discover(stage),
    );
    const { parentId, childIds } = await runParent(engine);
    return { engine, parentId, childId: childIds[0] as string };
  }

  it("sleeps while its child runs, is notified when it finishes, and creates it once", async () => {
    const { engine, parentId, childId } = await runWithChild(nothing);
    const asleep = { waitingFor: "child Requests to finish", leaseUntil: null };
    expect(await requestOf(database.db, parentId)).toMatchObject(asleep);
    await runRequest(engine, childId);
    expect(engine.jobs.ids.at(-1)).toBe(parentId);
    await runRequest(engine, parentId);
    expect((await requestOf(database.db, parentId)).successful).toBe(true);
    expect(await database.db.request.count({ where: { parentId } })).toBe(1);
  });

  it("fails with the message of a child that failed", async () => {
    const { engine, parentId, childId } = await runWithChild(() => Promise.reject(permanent("No such region")));
    await runRequest(engine, childId);
    await runRequest(engine, parentId);
    const failed = { successful: false, message: "No such region" };
    expect(await requestOf(database.db, parentId)).toMatchObject(failed);
  });

  it("ends after its child when it is cancelled", async () => {
    const { engine, parentId, childId } = await runWithChild(nothing);
    await cancel(database.db, parentId);
    await runRequest(engine, parentId);
    expect(await requestOf(database.db, parentId)).toMatchObject({ finishedAt: null, message: "Cancelled" });
    await runRequest(engine, childId);
    const cancelled = { successful: false, message: "Cancelled", finishedAt: expect.any(Date) };
    expect(await requestOf(database.db, childId)).toMatchObject(cancelled);
    await runRequest(engine, parentId);
    expect(await requestOf(database.db, parentId)).toMatchObject(cancelled);
  });

  it("is due at once if the child ended between the parent's check and its sleep", async () => {
    const engine = engineWith(
      parent(async ({ children, request }) => {
        const finish = children.finish([discovery()]);
        await finish.catch(() => {});
        const [child] = await database.db.request.findMany({ where: { parentId: request.id } });
        await runRequest(engine, child?.id as string);
        await finish;
      }),
      discover(nothing),
    );
    const { parentId } = await runParent(engine);
    await runRequest(engine, parentId);
    expect((await requestOf(database.db, parentId)).successful).toBe(true);
  });
});

describe("a parent of several children", () => {
  it("creates children on one resource at once, and each is notified when the previous one finishes", async () => {
    const id = randomUUID();
    const order: string[] = [];
    const engine = engineWith(
      parent(async ({ children }) => {
        await children.create([creation(id), removal(id)]);
        await children.finish([removal(id)]);
      }),
      create(async () => void order.push("first")),
      destroy(async () => void order.push("second")),
    );
    const { parentId, childIds } = await runParent(engine);
    const [first = "", second = ""] = childIds;
    expect(engine.jobs.ids.filter((each) => each !== parentId)).toEqual([first, second]);
    await runRequest(engine, second);
    expect(order).toEqual([]);
    await runRequest(engine, first);
    expect(engine.jobs.ids).toContain(second);
    await runRequest(engine, second);
    await runRequest(engine, parentId);
    expect(order).toEqual(["first", "second"]);
    expect((await requestOf(database.db, parentId)).successful).toBe(true);
  });

  it("is notified by the last child that it waits for, and shows how many are left until then", async () => {
    const { db } = database;
    const children = [randomUUID(), randomUUID(), randomUUID()].map(creation);
    const engine = engineWith(
      parent((context) => context.children.finish(children)),
      create(nothing),
    );
    const { parentId, childIds } = await runParent(engine);
    const notificationsOfParent = () => engine.jobs.ids.filter((id) => id === parentId).length;
    const before = notificationsOfParent();
    for (const [i, id] of childIds.entries()) {
      expect(await requestOf(db, parentId)).toMatchObject({ awaitedChildren: 3 - i, finishedAt: null });
      expect(notificationsOfParent()).toBe(before);
      await runRequest(engine, id);
    }
    expect(notificationsOfParent()).toBe(before + 1);
    await runRequest(engine, parentId);
    expect((await requestOf(db, parentId)).successful).toBe(true);
  });

  it("undoes the work of finished children when it fails, with removals that cannot be cancelled", async () => {
    const [made, failing] = [randomUUID(), randomUUID()];
    const events: string[] = [];
    let runs = 0;
    const engine = engineWith(
      parent(({ children }) => children.finish([made, failing].map(creation)), {
        undo: ({ children }) => children.finish([removal(made)]),
        discard: async () => void events.push("discarded"),
      }),
      create(async (context) => {
        if (context.resourceId === failing) throw permanent("No capacity");
        await context.cloud(HERE).ensure(cluster, {});
      }),
      destroy(async (context) => {
        if (++runs < 3) throw notYet("the cluster to start");
        await context.cloud(HERE).removeAll(fakeKinds);
        events.push("removed");
      }),
    );
    const parentId = await requestParent();
    await runAllToEnd(engine, account.accountId);
    const failed = { successful: false, message: "No capacity", leakedResources: [] };
    expect(await requestOf(database.db, parentId)).toMatchObject(failed);
    expect(events).toEqual(["removed", "discarded"]);
    expect(cloud.objects.size).toBe(0);
  });
});
