import { randomUUID } from "node:crypto";
import { createPlainAccount, type TestAccount } from "@gantry/test/support/account";
import {
  Crash,
  crashingDb,
  expireLease,
  fakeWorkflow,
  runAllToEnd,
  testEngine,
  wakeUp,
} from "@gantry/test/support/engine";
import { cluster, FakeCloud, fakeKinds, node } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { open, openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { type Claim, claim } from "./claim.js";
import type { Engine } from "./engine.js";
import { fencedDb } from "./fenced-db.js";
import { runRequest } from "./run.js";
import { notYet, permanent, poll } from "./stage-errors.js";
import { sweep } from "./sweep.js";

let database: TestDatabase;
let account: Pick<TestAccount, "accountId" | "provider">;

beforeAll(async () => {
  database = await cloneDatabase();
  account = await createPlainAccount(database.db);
});
afterAll(() => database.drop());

const requestOf = (id: string) => database.db.request.findUniqueOrThrow({ where: { id } });
const living = (requestId: string) => database.db.cloudObject.findMany({ where: { requestId, removedAt: null } });

/** Workflows whose create does what `act` says after it has made a cluster. */
function createClusterThen(act: () => void | Promise<void>): Engine<FakeCloud>["workflows"] {
  const workflow = fakeWorkflow({
    type: "provision_network",
    stages: {
      create: async ({ cloud }) => {
        await cloud({ providerId: 1, region: "here" }).ensure(cluster, {});
        await act();
      },
    },
    discard: async ({ resourceId, db }) => {
      await db.network.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
    },
  });
  return new Map([["provision_network", workflow]]) as Engine<FakeCloud>["workflows"];
}

/** Runs a Request to its end as one worker after the other would, without waiting for leases or delays. */
async function runToEnd(engine: Engine<FakeCloud>, requestId: string): Promise<void> {
  await until(async () => {
    await expireLease(database.db, requestId);
    await wakeUp(database.db, requestId);
    await runRequest(engine, requestId);
    return (await requestOf(requestId)).finishedAt;
  });
}

describe("a Request", () => {
  it("is run through its stages and says so", async () => {
    const cloud = new FakeCloud();
    const { requestId, networkId } = await openNetwork(database.db, account);
    await runRequest(testEngine(database, cloud), requestId);
    const request = await requestOf(requestId);
    expect(request).toMatchObject({ successful: true, stage: "create", message: null, leaseUntil: null });
    const stages = await database.db.requestStage.findMany({ where: { requestId } });
    expect(stages).toMatchObject([{ name: "create", state: "finished", attempts: 1, error: null }]);
    expect(await database.db.network.findUnique({ where: { id: networkId } })).toMatchObject({ provisionedId: "made" });
    expect([...cloud.objects.values()].every(({ configured }) => configured)).toBe(true);
  });

  it("can be claimed in the very moment in which it becomes due", async () => {
    const { requestId } = await openNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud());
    for (let i = 0; i < 50; i++) {
      await wakeUp(database.db, requestId);
      const claimed = await claim(engine, requestId);
      expect(claimed?.state.request.fence).toBe(i + 1);
      claimed?.lease.close();
      await database.db.$queryRaw`UPDATE requests SET lease_until = NULL WHERE id = ${requestId}::uuid`;
    }
  });

  it("is run by one worker although two were rung at once", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const engines = Array.from({ length: 8 }, () => testEngine(database, cloud));
    await Promise.all(engines.map((engine) => runRequest(engine, requestId)));
    expect((await requestOf(requestId)).fence).toBe(1);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("waits for an earlier one on the same resource, and is rung when that has ended", async () => {
    const cloud = new FakeCloud();
    const first = await openNetwork(database.db, account);
    const resource = { type: "network", id: first.networkId } as const;
    const second = await open(database.db, account, "provision_network", resource, { skipSubnets: true });
    const engine = testEngine(database, cloud);
    await runRequest(engine, second);
    expect((await requestOf(second)).startedAt).toBeNull();
    await runRequest(engine, first.requestId);
    expect(engine.notifications).toContainEqual({ id: second, accountId: account.accountId, wake: 0 });
    await runRequest(engine, second);
    expect((await requestOf(second)).successful).toBe(true);
  });

  it("whose bell was lost is rung by the sweeper, and none that is blocked or asleep", async () => {
    const { requestId, networkId } = await openNetwork(database.db, account);
    const resource = { type: "network", id: networkId } as const;
    const blocked = await open(database.db, account, "provision_network", resource, { skipSubnets: true });
    const { requestId: asleep } = await openNetwork(database.db, account);
    await database.db.request.update({ where: { id: asleep }, data: { nextRunAt: new Date(Date.now() + 60_000) } });
    const engine = testEngine(database, new FakeCloud());
    await sweep(engine);
    const notified = engine.notifications.map(({ id }) => id);
    expect(notified).toContain(requestId);
    expect(notified).not.toContain(blocked);
    expect(notified).not.toContain(asleep);
  });

  it("of a type that this worker does not know is left alone", async () => {
    const { requestId } = await openNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud(), { workflows: new Map() });
    await sweep(engine);
    await runRequest(engine, requestId);
    expect(engine.notifications).toEqual([]);
    expect(await requestOf(requestId)).toMatchObject({ fence: 0, finishedAt: null });
  });

  it("past its deadline ends as failed and leaves nothing", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    await database.db.request.update({ where: { id: requestId }, data: { deadlineAt: new Date(Date.now() - 1000) } });
    await runToEnd(testEngine(database, cloud), requestId);
    const { successful, message } = await requestOf(requestId);
    expect({ successful, message }).toEqual({
      successful: false,
      message: "Did not end within its limit of 30 minutes",
    });
  });

  it("that costs five workers their lives is given up, and what it made is removed", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const poison = testEngine(database, cloud, {
      workflows: createClusterThen(() => Promise.reject(new Crash())),
      classify: dies,
    });
    for (let lost = 0; lost < 5; lost++) {
      await runRequest(poison, requestId);
      expect((await requestOf(requestId)).finishedAt).toBeNull();
      await expireLease(database.db, requestId);
    }
    await runRequest(poison, requestId);
    expect((await requestOf(requestId)).message).toBe("Given up after 5 workers were lost while they worked on it");
    expect(cloud.objects.size).toBe(0);
  });
});

/** Nothing is written about a crash: the error goes through the engine as if it had not been there to catch it. */
function dies(error: unknown): undefined {
  if (error instanceof Crash) throw error;
}

describe("waiting", () => {
  it("frees the worker, costs no attempt, and goes on from the same stage", async () => {
    const cloud = new FakeCloud();
    let ready = false;
    const workflows = createClusterThen(() => {
      if (!ready) throw notYet("The cluster to start", { retryInSeconds: 30 });
    });
    const engine = testEngine(database, cloud, { workflows });
    const { requestId } = await openNetwork(database.db, account);
    await runRequest(engine, requestId);
    expect(await requestOf(requestId)).toMatchObject({
      waitingFor: "The cluster to start",
      stageAttempts: 0,
      leaseUntil: null,
      finishedAt: null,
    });
    expect(engine.notifications.at(-1)?.delayMs).toBeGreaterThan(29_000);
    await runRequest(engine, requestId);
    expect((await requestOf(requestId)).fence).toBe(1);
    ready = true;
    await wakeUp(database.db, requestId);
    await runRequest(engine, requestId);
    expect((await requestOf(requestId)).successful).toBe(true);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("is cut short by a bell that was rung before the sleep was written", async () => {
    const { requestId } = await openNetwork(database.db, account);
    const workflows = createClusterThen(async () => {
      await database.db.$executeRaw`
        UPDATE requests SET wake = wake + 1, next_run_at = now() WHERE id = ${requestId}::uuid`;
      throw notYet("A child", { retryInSeconds: 60 });
    });
    const engine = testEngine(database, new FakeCloud(), { workflows });
    await runRequest(engine, requestId);
    expect((await requestOf(requestId)).nextRunAt.getTime()).toBeLessThan(Date.now() + 5000);
  });
});

describe("an error", () => {
  it("that may pass is tried again with backoff and fails the Request after eight tries", async () => {
    const cloud = new FakeCloud();
    cloud.onCall = (name, moment) => {
      if (name === "create node" && moment === "before") throw new Error("passing");
    };
    const engine = testEngine(database, cloud, {
      classify: () => ({ kind: "retry", message: "The region has no capacity for nodes" }),
    });
    const { requestId } = await openNetwork(database.db, account);
    await runRequest(engine, requestId);
    const first = await requestOf(requestId);
    expect(first).toMatchObject({ stageAttempts: 1, waitingFor: "Another try", finishedAt: null });
    await runToEnd(engine, requestId);
    expect(await requestOf(requestId)).toMatchObject({
      successful: false,
      message: "The region has no capacity for nodes",
    });
    const [stage] = await database.db.requestStage.findMany({ where: { requestId } });
    expect(stage).toMatchObject({ state: "failed", attempts: 8 });
    expect(cloud.objects.size).toBe(0);
  });

  it("that never passes fails the Request at once, removes what it made and deletes the record", async () => {
    const cloud = new FakeCloud();
    const workflows = createClusterThen(() => {
      throw permanent("The cluster is too small");
    });
    const { requestId, networkId } = await openNetwork(database.db, account);
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(requestId)).toMatchObject({
      successful: false,
      message: "The cluster is too small",
      leakedResources: [],
    });
    expect(cloud.objects.size).toBe(0);
    expect(await living(requestId)).toEqual([]);
    expect((await database.db.network.findUnique({ where: { id: networkId } }))?.deletedAt).not.toBeNull();
  });

  it("names on the Request what could not be removed", async () => {
    const cloud = new FakeCloud();
    cloud.onCall = (name, moment) => {
      if (name === "remove cluster" && moment === "before") throw new Error("stuck");
      if (name === "create node") throw new Error("stuck");
    };
    const engine = testEngine(database, cloud, {
      classify: () => ({ kind: "permanent", message: "No nodes" }),
    });
    const { requestId } = await openNetwork(database.db, account);
    await runRequest(engine, requestId);
    const leaked = [{ kind: "cluster", id: "cluster-1", region: "here" }];
    const { message, leakedResources } = await requestOf(requestId);
    expect({ message, leakedResources }).toEqual({
      message: "No nodes",
      leakedResources: expect.arrayContaining(leaked),
    });
  });
});

describe("a rollback", () => {
  it("begins only when nothing is under way any more, and nothing more is begun", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const workflow = fakeWorkflow({
      type: "provision_network",
      stages: {
        create: async ({ cloud: place }) => {
          const scope = place({ providerId: 1, region: "here" });
          const oneAfterTheOther = async () => {
            for (const key of ["a", "b", "c", "d"]) await scope.ensure(node, {}, key);
          };
          await Promise.all([oneAfterTheOther(), scope.call(() => Promise.reject(permanent("No")))]);
        },
      },
      discard: async () => {},
    });
    const workflows = new Map([["provision_network", workflow]]) as Engine<FakeCloud>["workflows"];
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "No", leakedResources: [] });
    await new Promise((resolve) => setImmediate(resolve));
    expect(cloud.objects.size).toBe(0);
    expect(await living(requestId)).toEqual([]);
    expect(await database.db.cloudObject.count({ where: { requestId } })).toBeLessThan(2);
  });

  it("removes what an earlier Request left behind of the same record", async () => {
    const cloud = new FakeCloud();
    const { requestId, networkId } = await openNetwork(database.db, account);
    cloud.onCall = (name) => {
      if (name !== "create cluster") throw new Error("stuck");
    };
    const engine = testEngine(database, cloud, { classify: () => ({ kind: "permanent", message: "No" }) });
    await runRequest(engine, requestId);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    const resource = { type: "network", id: networkId } as const;
    const again = await open(database.db, account, "provision_network", resource, { skipSubnets: true });
    cloud.onCall = (name) => {
      if (name === "create node") throw new Error("stuck");
    };
    await runRequest(engine, again);
    expect(await requestOf(again)).toMatchObject({ successful: false, leakedResources: [] });
    expect(cloud.objects.size).toBe(0);
  });

  it("leaves alone what an earlier Request made well of the same record", async () => {
    const cloud = new FakeCloud();
    const { requestId, networkId } = await openNetwork(database.db, account);
    await runRequest(testEngine(database, cloud), requestId);
    const made = cloud.objects.size;
    const resource = { type: "network", id: networkId } as const;
    const failing = { create: () => Promise.reject(permanent("No")) };
    for (const type of ["provision_network", "provision_subnet"] as const) {
      const workflows = new Map([
        [type, fakeWorkflow({ type, stages: failing, discard: async () => {} })],
      ]) as Engine<FakeCloud>["workflows"];
      const input = { skipSubnets: true };
      await runRequest(
        testEngine(database, cloud, { workflows }),
        await open(database.db, account, type, resource, input),
      );
    }
    expect(await living(requestId)).toHaveLength(made);
    expect(cloud.objects.size).toBe(made);
  });

  it("ends although the record cannot be discarded", async () => {
    const workflow = fakeWorkflow({
      type: "provision_network",
      stages: { create: () => Promise.reject(permanent("No")) },
      discard: () => Promise.reject(new Error("a mistake in discard")),
    });
    const workflows = new Map([["provision_network", workflow]]) as Engine<FakeCloud>["workflows"];
    const { requestId } = await openNetwork(database.db, account);
    await runToEnd(testEngine(database, new FakeCloud(), { workflows }), requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "No" });
  });
});

describe("a cancel", () => {
  const cancel = (id: string) =>
    database.db.$executeRaw`
      UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1 WHERE id = ${id}::uuid`;

  it("before the start ends the Request without a call to the cloud", async () => {
    const cloud = new FakeCloud();
    cloud.onCall = (name) => {
      throw new Error(`called ${name}`);
    };
    const { requestId, networkId } = await openNetwork(database.db, account);
    await cancel(requestId);
    await runRequest(testEngine(database, cloud), requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "Cancelled" });
    expect((await database.db.network.findUnique({ where: { id: networkId } }))?.deletedAt).not.toBeNull();
  });

  it("while it runs stops it at the next object and removes what was made", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const engine = testEngine(database, cloud, {
      workflows: new Map([
        [
          "provision_network",
          fakeWorkflow({
            type: "provision_network",
            stages: {
              create: async (context) => {
                const scope = context.cloud({ providerId: 1, region: "here" });
                await scope.ensure(cluster, {});
                await cancel(requestId);
                await scope.ensure(node, {});
              },
            },
            discard: async () => {},
          }),
        ],
      ]) as Engine<FakeCloud>["workflows"],
    });
    await runRequest(engine, requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "Cancelled", leakedResources: [] });
    expect(cloud.objects.size).toBe(0);
  });
});

describe("a cancel that was accepted", () => {
  it("is honoured although it came after the last object was made", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const workflows = createClusterThen(async () => {
      await database.db.$executeRaw`
        UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1 WHERE id = ${requestId}::uuid`;
    });
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(requestId)).toMatchObject({ successful: false, message: "Cancelled", leakedResources: [] });
    expect(cloud.objects.size).toBe(0);
  });
});

describe("a parent", () => {
  // A provider's provisioning opens the discovery of its locations, as the worker's own workflow does.
  function family(child: () => Promise<void>): Engine<FakeCloud>["workflows"] {
    const resource = { type: "provider", id: account.provider.id } as const;
    const parent = fakeWorkflow({
      type: "provision_provider",
      stages: {
        "verify-credentials": async () => {},
        "discover-locations": ({ children }) =>
          children.finish([{ type: "discover_provider_locations", resource, input: {} }]),
      },
      discard: async () => {},
    });
    const discover = fakeWorkflow({ type: "discover_provider_locations", stages: { discover_locations: child } });
    return new Map([parent, discover].map((workflow) => [workflow.type, workflow])) as Engine<FakeCloud>["workflows"];
  }

  async function openFamily(child: () => Promise<void>) {
    const engine = testEngine(database, new FakeCloud(), { workflows: family(child) });
    const resource = { type: "provider", id: account.provider.id } as const;
    const parentId = await open(database.db, account, "provision_provider", resource, {});
    await runRequest(engine, parentId);
    const [{ id: childId } = { id: "" }] = await database.db.request.findMany({ where: { parentId } });
    return { engine, parentId, childId };
  }

  it("sleeps while its child runs, is rung by its end, and opens it once", async () => {
    const { engine, parentId, childId } = await openFamily(async () => {});
    expect(await requestOf(parentId)).toMatchObject({ waitingFor: "Child Requests to end", leaseUntil: null });
    await runRequest(engine, childId);
    expect(engine.notifications.at(-1)).toMatchObject({ id: parentId });
    await runRequest(engine, parentId);
    expect((await requestOf(parentId)).successful).toBe(true);
    expect(await database.db.request.count({ where: { parentId } })).toBe(1);
  });

  it("fails with the message of a child that failed", async () => {
    const { engine, parentId, childId } = await openFamily(() => Promise.reject(permanent("No such place")));
    await runRequest(engine, childId);
    await runRequest(engine, parentId);
    expect(await requestOf(parentId)).toMatchObject({ successful: false, message: "No such place" });
  });

  it("that is cancelled ends after its children", async () => {
    const { engine, parentId, childId } = await openFamily(async () => {});
    await database.db.$executeRaw`
      UPDATE requests SET cancel_requested_at = now(), next_run_at = now(), wake = wake + 1 WHERE id = ${parentId}::uuid`;
    await runRequest(engine, parentId);
    expect(await requestOf(parentId)).toMatchObject({ finishedAt: null, message: "Cancelled" });
    await runRequest(engine, childId);
    expect(await requestOf(childId)).toMatchObject({ successful: false, message: "Cancelled" });
    await runRequest(engine, parentId);
    expect(await requestOf(parentId)).toMatchObject({ successful: false, message: "Cancelled" });
    expect((await requestOf(parentId)).finishedAt).not.toBeNull();
  });

  it("opens children that queue behind each other at once, and each is rung when its turn comes", async () => {
    const { provider } = account;
    const on = { resource: { type: "network", id: randomUUID() } as const };
    const order: string[] = [];
    const workflows = new Map(
      [
        fakeWorkflow({
          type: "provision_provider",
          stages: {
            "verify-credentials": async ({ children }) => {
              const first = { type: "provision_network" as const, ...on, input: { skipSubnets: true } };
              const second = { type: "deprovision_network" as const, ...on, input: {} };
              await children.open([first, second]);
              await children.finish([second]);
            },
            "discover-locations": async () => {},
          },
          discard: async () => {},
        }),
        fakeWorkflow({
          type: "provision_network",
          stages: { create: async () => void order.push("first") },
          discard: async () => {},
        }),
        fakeWorkflow({ type: "deprovision_network", stages: { destroy: async () => void order.push("second") } }),
      ].map((workflow) => [workflow.type, workflow]),
    ) as Engine<FakeCloud>["workflows"];
    const engine = testEngine(database, new FakeCloud(), { workflows });
    const parentId = await open(database.db, account, "provision_provider", { type: "provider", id: provider.id }, {});
    await runRequest(engine, parentId);
    const children = await database.db.request.findMany({ where: { parentId }, orderBy: { seq: "asc" } });
    const [first = "", second = ""] = children.map(({ id }) => id);
    expect(engine.notifications.filter(({ id }) => id === first || id === second).map(({ id }) => id)).toEqual([first]);
    await runRequest(engine, second);
    expect(order).toEqual([]);
    await runRequest(engine, first);
    expect(engine.notifications.map(({ id }) => id)).toContain(second);
    await runRequest(engine, second);
    await runRequest(engine, parentId);
    expect(order).toEqual(["first", "second"]);
    expect((await requestOf(parentId)).successful).toBe(true);
  });

  it("is rung by the last of the children that it waits for, and tells how many are left until then", async () => {
    const { provider } = account;
    const networks = [randomUUID(), randomUUID(), randomUUID()];
    const children = networks.map((id) => ({
      type: "provision_network" as const,
      resource: { type: "network", id } as const,
      input: { skipSubnets: true },
    }));
    const workflows = new Map(
      [
        fakeWorkflow({
          type: "provision_provider",
          stages: {
            "verify-credentials": (context) => context.children.finish(children),
            "discover-locations": async () => {},
          },
          discard: async () => {},
        }),
        fakeWorkflow({ type: "provision_network", stages: { create: async () => {} }, discard: async () => {} }),
      ].map((workflow) => [workflow.type, workflow]),
    ) as Engine<FakeCloud>["workflows"];
    const engine = testEngine(database, new FakeCloud(), { workflows });
    const parentId = await open(database.db, account, "provision_provider", { type: "provider", id: provider.id }, {});
    await runRequest(engine, parentId);
    const opened = await database.db.request.findMany({ where: { parentId }, orderBy: { seq: "asc" } });
    const notificationsOfParent = () => engine.notifications.filter(({ id }) => id === parentId).length;
    const before = notificationsOfParent();
    for (const [i, { id }] of opened.entries()) {
      expect(await requestOf(parentId)).toMatchObject({ awaitedChildren: 3 - i, finishedAt: null });
      expect(notificationsOfParent()).toBe(before);
      await runRequest(engine, id);
    }
    expect(notificationsOfParent()).toBe(before + 1);
    await runRequest(engine, parentId);
    expect((await requestOf(parentId)).successful).toBe(true);
  });

  it("is due at once where a child has ended between its look and its sleep", async () => {
    const child = { type: "discover_provider_locations", input: {} } as const;
    const resource = { type: "provider", id: account.provider.id } as const;
    const workflows = new Map(
      [
        fakeWorkflow({
          type: "provision_provider",
          stages: {
            "verify-credentials": async () => {},
            "discover-locations": async ({ children, request }) => {
              const look = children.finish([{ ...child, resource }]);
              await look.catch(() => {});
              const [{ id } = { id: "" }] = await database.db.request.findMany({ where: { parentId: request.id } });
              await runRequest(engine, id);
              await look;
            },
          },
          discard: async () => {},
        }),
        fakeWorkflow({ type: "discover_provider_locations", stages: { discover_locations: async () => {} } }),
      ].map((workflow) => [workflow.type, workflow]),
    ) as Engine<FakeCloud>["workflows"];
    const engine = testEngine(database, new FakeCloud(), { workflows });
    const parentId = await open(database.db, account, "provision_provider", resource, {});
    await runRequest(engine, parentId);
    await runRequest(engine, parentId);
    expect((await requestOf(parentId)).successful).toBe(true);
  });

  it("that fails takes back what its finished children made, through removals that no cancel stops", async () => {
    const family = await createPlainAccount(database.db);
    const { provider } = family;
    const childOn = (id: string) => ({ resource: { type: "network", id } as const });
    const [made, failing] = [randomUUID(), randomUUID()];
    const ends: string[] = [];
    let looks = 0;
    const workflows = new Map(
      [
        fakeWorkflow({
          type: "provision_provider",
          stages: {
            "verify-credentials": ({ children }) =>
              children.finish(
                [made, failing].map((id) => ({
                  type: "provision_network" as const,
                  ...childOn(id),
                  input: { skipSubnets: true },
                })),
              ),
            "discover-locations": async () => {},
          },
          discard: async () => void ends.push("discarded"),
          undo: ({ children }) => children.finish([{ type: "deprovision_network", ...childOn(made), input: {} }]),
        }),
        fakeWorkflow({
          type: "provision_network",
          stages: {
            create: async ({ resourceId, cloud }) => {
              if (resourceId === failing) throw permanent("No room");
              await cloud({ providerId: provider.id, region: "here" }).ensure(cluster, {});
            },
          },
          discard: async () => {},
        }),
        fakeWorkflow({
          type: "deprovision_network",
          stages: {
            destroy: async ({ cloud }) => {
              if (++looks < 3) throw notYet("The cluster to start");
              await cloud({ providerId: provider.id, region: "here" }).removeAll(fakeKinds);
              ends.push("removed");
            },
          },
        }),
      ].map((workflow) => [workflow.type, workflow]),
    ) as Engine<FakeCloud>["workflows"];
    const cloud = new FakeCloud();
    const resource = { type: "provider", id: provider.id } as const;
    const parentId = await open(database.db, family, "provision_provider", resource, {});
    await runAllToEnd(testEngine(database, cloud, { workflows }), family.accountId);
    expect(await requestOf(parentId)).toMatchObject({ successful: false, message: "No room", leakedResources: [] });
    expect(ends).toEqual(["removed", "discarded"]);
    expect(cloud.objects.size).toBe(0);
  });
});

describe("a poll", () => {
  it("looks soon at first and ever less often", async () => {
    const { requestId } = await openNetwork(database.db, account);
    const workflows = createClusterThen(() => Promise.reject(poll("The cluster to start", { everySeconds: 60 })));
    const engine = testEngine(database, new FakeCloud(), { workflows });
    const delayAfter = async (stageSeconds: number) => {
      await database.db.$executeRaw`
        UPDATE request_stages SET started_at = now() - make_interval(secs => ${stageSeconds}) WHERE request_id = ${requestId}::uuid`;
      await wakeUp(database.db, requestId);
      await runRequest(engine, requestId);
      return (engine.notifications.at(-1)?.delayMs ?? 0) / 1000;
    };
    expect(await delayAfter(0)).toBeLessThan(9);
    expect(await delayAfter(40)).toBeGreaterThan(9);
    expect(await delayAfter(1000)).toBeGreaterThan(59);
  });
});

describe("a worker", () => {
  it("that shuts down gives its Request back at once and counts no attempt", async () => {
    const cloud = new FakeCloud();
    let stopping = false;
    cloud.onCall = (name, moment) => {
      if (name === "create cluster" && moment === "after") stopping = true;
    };
    const { requestId } = await openNetwork(database.db, account);
    await runRequest(testEngine(database, cloud, { isStopping: () => stopping }), requestId);
    expect(await requestOf(requestId)).toMatchObject({
      leaseUntil: null,
      stageAttempts: 0,
      finishedAt: null,
      takeovers: 0,
    });
    await runRequest(testEngine(database, cloud), requestId);
    expect((await requestOf(requestId)).successful).toBe(true);
    const stage = await database.db.requestStage.findFirst({ where: { requestId } });
    expect(stage).toMatchObject({ name: "create", state: "finished", attempts: 1 });
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("that was replaced can write nothing more, and takes back what it alone knows of", async () => {
    const cloud = new FakeCloud();
    const { requestId, networkId } = await openNetwork(database.db, account);
    const successor = testEngine(database, cloud);
    let slept = false;
    // The stale worker is paused in the middle of its create until its successor has done everything.
    const paused: Engine<FakeCloud>["kinds"] = new Map();
    const stale = testEngine(database, cloud, {
      kinds: paused,
      workflows: new Map([
        [
          "provision_network",
          fakeWorkflow({
            type: "provision_network",
            stages: {
              create: async ({ cloud: scope, db }) => {
                const slow = {
                  ...cluster,
                  create: async (fake: FakeCloud, intent: Parameters<typeof cluster.create>[1]) => {
                    if (!slept) {
                      slept = true;
                      await expireLease(database.db, requestId);
                      await runRequest(successor, requestId);
                    }
                    return cluster.create(fake, intent);
                  },
                };
                await scope({ providerId: 1, region: "here" }).ensure(slow, {});
                await db.network.update({ where: { id: networkId }, data: { provisionedId: "stale" } });
              },
            },
            discard: async () => {},
          }),
        ],
      ]) as Engine<FakeCloud>["workflows"],
    });
    await runRequest(stale, requestId);
    expect(slept).toBe(true);
    expect((await requestOf(requestId)).successful).toBe(true);
    expect(await database.db.network.findUnique({ where: { id: networkId } })).toMatchObject({ provisionedId: "made" });
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it("with an old fence is refused every write to a record", async () => {
    const { requestId, networkId } = await openNetwork(database.db, account);
    const engine = testEngine(database, new FakeCloud());
    const lost = (await claim(engine, requestId)) as Claim;
    await expireLease(database.db, requestId);
    const successor = (await claim(engine, requestId)) as Claim;
    const old = fencedDb(database.db, lost.state.request);
    const write = old.network.update({ where: { id: networkId }, data: { name: "stale" } });
    await expect(write).rejects.toThrow("another worker took the Request over");
    const raw = old.$executeRaw`UPDATE networks SET name = 'stale' WHERE id = ${networkId}::uuid`;
    await expect(raw).rejects.toThrow("another worker took the Request over");
    const mine = fencedDb(database.db, successor.state.request);
    await mine.network.update({ where: { id: networkId }, data: { name: "live" } });
    expect(await database.db.network.findUnique({ where: { id: networkId } })).toMatchObject({ name: "live" });
    lost.lease.close();
    successor.lease.close();
  });

  it("starts no call to the cloud with less of its lease left than a call may take", async () => {
    const cloud = new FakeCloud();
    const { requestId } = await openNetwork(database.db, account);
    const engine = testEngine(database, cloud, { leaseSeconds: 0.2, callSeconds: 0.15 });
    const { lease } = (await claim(engine, requestId)) as Claim;
    // The lease cannot be renewed any more: somebody else has the Request.
    await database.db.request.update({ where: { id: requestId }, data: { fence: 99 } });
    await until(() =>
      lease.assertHeld().then(
        () => false,
        () => true,
      ),
    );
    await expect(lease.assertHeld()).rejects.toThrow("the lease ran out");
    lease.close();
  });
});

describe("a crash at any statement or call", () => {
  it("leaves exactly one of everything when the next worker has gone on", async () => {
    const points = await countStatements();
    expect(points).toBeGreaterThan(10);
    for (let nth = 1; nth <= points; nth++) {
      for (const moment of ["before", "after"] as const) {
        const cloud = new FakeCloud();
        const { requestId } = await openNetwork(database.db, account);
        const dying = crashingDb(database.url, nth, moment);
        await runRequest(testEngine(database, cloud, { db: dying.db, classify: dies }), requestId).catch(() => {});
        await dying.db.$disconnect();
        await runToEnd(testEngine(database, cloud), requestId);
        await expectOneOfEverything(cloud, requestId, `${moment} statement ${nth}`);
      }
    }
  });

  it("leaves exactly one of everything when it came around a call to the cloud", async () => {
    for (const call of ["create cluster", "sync cluster", "create node", "sync node"]) {
      for (const when of ["before", "after"] as const) {
        const cloud = new FakeCloud();
        const { requestId } = await openNetwork(database.db, account);
        cloud.onCall = (name, moment) => {
          if (name === call && moment === when) throw new Crash();
        };
        await runRequest(testEngine(database, cloud, { classify: dies }), requestId);
        expect((await requestOf(requestId)).finishedAt).toBeNull();
        cloud.onCall = () => {};
        await runToEnd(testEngine(database, cloud), requestId);
        await expectOneOfEverything(cloud, requestId, `${when} ${call}`);
      }
    }
  });

  it("leaves nothing when the Request then fails for good", async () => {
    for (const call of ["create cluster", "sync cluster", "create node", "sync node"]) {
      for (const when of ["before", "after"] as const) {
        const cloud = new FakeCloud();
        const { requestId } = await openNetwork(database.db, account);
        cloud.onCall = (name, moment) => {
          if (name === call && moment === when) throw new Error("for good");
        };
        const engine = testEngine(database, cloud, { classify: () => ({ kind: "permanent", message: "No" }) });
        await runRequest(engine, requestId);
        expect([call, when, cloud.objects.size]).toEqual([call, when, 0]);
        expect((await requestOf(requestId)).leakedResources).toEqual([]);
      }
    }
  });

  async function countStatements(): Promise<number> {
    const { requestId } = await openNetwork(database.db, account);
    const counting = crashingDb(database.url, Number.POSITIVE_INFINITY, "after");
    await runRequest(testEngine(database, new FakeCloud(), { db: counting.db }), requestId);
    await counting.db.$disconnect();
    return counting.statements();
  }

  async function expectOneOfEverything(cloud: FakeCloud, requestId: string, point: string): Promise<void> {
    const made = { cluster: cloud.idsOf("cluster").length, node: cloud.idsOf("node").length };
    expect({ point, ...made }).toEqual({ point, cluster: 1, node: 2 });
    const ledger = (await living(requestId)).map(({ cloudId }) => cloudId).sort();
    expect(ledger).toEqual([...cloud.objects.keys()].sort());
    expect((await requestOf(requestId)).successful).toBe(true);
  }
});

it("reads a random id as nobody's Request", async () => {
  await runRequest(testEngine(database, new FakeCloud()), randomUUID());
});
