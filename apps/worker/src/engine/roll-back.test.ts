import { expireLease, fakeWorkflow, testEngine } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud, node } from "@gantry/test/support/fake-cloud";
import {
  cancel,
  HERE,
  liveObjectsOf,
  provisionNetwork,
  requestOf,
  runToEnd,
  workflowsOf,
} from "@gantry/test/support/request-runs";
import { createRequestOf, requestNetwork } from "@gantry/test/support/work";
import { TAKEOVER_LIMIT } from "./error-policy.js";
import { runRequest } from "./run.js";
import { LeaseLost, permanent } from "./stage-errors.js";

const { database, account } = await startEngineTest();
let cloud: FakeCloud;

beforeEach(() => {
  cloud = new FakeCloud();
});

const messagesOf = async (requestId: string) => {
  const messages = await database.db.requestMessage.findMany({ where: { requestId }, select: { message: true } });
  return messages.map(({ message }) => message).sort();
};
const fail = () => Promise.reject(permanent("No"));
const reprovision = (networkId: string) =>
  createRequestOf(database.db, account, "provision_network", { type: "network", id: networkId }, { skipSubnets: true });

describe("a rollback", () => {
  it("starts once all work of the stage has ended, and lets no more start", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const workflows = provisionNetwork(async (context) => {
      const scope = context.cloud(HERE);
      const createInOrder = async () => {
        for (const key of ["a", "b", "c", "d"]) await scope.ensure(node, {}, key);
      };
      await Promise.all([createInOrder(), scope.call(fail)]);
    });
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    const failed = { successful: false, message: "No", leakedResources: [] };
    expect(await requestOf(db, requestId)).toMatchObject(failed);
    await new Promise((resolve) => setImmediate(resolve));
    expect(cloud.objects.size).toBe(0);
    expect(await liveObjectsOf(db, requestId)).toEqual([]);
    expect(await db.cloudObject.count({ where: { requestId } })).toBeLessThan(2);
  });

  it("removes objects that an earlier failed Request left to the same record", async () => {
    const { db } = database;
    const { requestId, networkId } = await requestNetwork(db, account);
    cloud.onCall = (name) => {
      if (name !== "create cluster") throw new Error("stuck");
    };
    const engine = testEngine(database, cloud, { classify: () => ({ kind: "permanent", message: "No" }) });
    await runRequest(engine, requestId);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    const again = await reprovision(networkId);
    cloud.onCall = (name) => {
      if (name === "create node") throw new Error("stuck");
    };
    await runRequest(engine, again);
    expect(await requestOf(db, again)).toMatchObject({ successful: false, leakedResources: [] });
    expect(cloud.objects.size).toBe(0);
  });

  it("keeps objects that an earlier successful Request created for the same record", async () => {
    const { db } = database;
    const { requestId, networkId } = await requestNetwork(db, account);
    await runRequest(testEngine(database, cloud), requestId);
    const made = cloud.objects.size;
    for (const type of ["provision_network", "provision_subnet"] as const) {
      const workflows = workflowsOf(fakeWorkflow({ type, stages: { create: fail }, discard: async () => {} }));
      const resource = { type: "network", id: networkId } as const;
      const failing = await createRequestOf(db, account, type, resource, { skipSubnets: true });
      await runRequest(testEngine(database, cloud, { workflows }), failing);
      expect(await requestOf(db, failing)).toMatchObject({ successful: false, message: "No" });
    }
    expect(await liveObjectsOf(db, requestId)).toHaveLength(made);
    expect(cloud.objects.size).toBe(made);
  });

  it("names on the Request the objects that could not be removed", async () => {
    const { db } = database;
    cloud.onCall = (name, when) => {
      if (name === "remove cluster" && when === "before") throw new Error("stuck");
      if (name === "create node") throw new Error("stuck");
    };
    const engine = testEngine(database, cloud, { classify: () => ({ kind: "permanent", message: "No nodes" }) });
    const { requestId } = await requestNetwork(db, account);
    await runRequest(engine, requestId);
    const leakedResources = expect.arrayContaining([
      { object: expect.any(String), kind: "cluster", id: "cluster-1", region: "here" },
    ]);
    expect(await requestOf(db, requestId)).toMatchObject({ message: "No nodes", leakedResources });
  });

  it("says why it could not go on", async () => {
    const { requestId } = await requestNetwork(database.db, account);
    const undo = () => Promise.reject(permanent("The permission is missing"));
    const workflows = workflowsOf(
      fakeWorkflow({ type: "provision_network", stages: { create: fail }, undo, discard: async () => {} }),
    );
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await messagesOf(requestId)).toEqual(["No", "The rollback could not go on: The permission is missing"]);
    expect(await requestOf(database.db, requestId)).toMatchObject({ successful: false, message: "No" });
  });

  it("says why it could not go on only once, although the worker that said so was lost before the end", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const undo = () => Promise.reject(permanent("The permission is missing"));
    let losses = 1;
    const discard = async () => {
      if (losses-- > 0) throw new LeaseLost();
    };
    const workflows = workflowsOf(fakeWorkflow({ type: "provision_network", stages: { create: fail }, undo, discard }));
    const engine = testEngine(database, cloud, { workflows });
    await runRequest(engine, requestId);
    await expireLease(db, requestId);
    await runRequest(engine, requestId);
    expect(await messagesOf(requestId)).toEqual(["No", "The rollback could not go on: The permission is missing"]);
    expect(await requestOf(db, requestId)).toMatchObject({ successful: false, message: "No" });
  });

  it("is given up when five workers were lost over it, and says so", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const undo = () => Promise.reject(new LeaseLost());
    const workflows = workflowsOf(
      fakeWorkflow({ type: "provision_network", stages: { create: fail }, undo, discard: async () => {} }),
    );
    const engine = testEngine(database, cloud, { workflows });
    for (let run = 0; run <= TAKEOVER_LIMIT; run++) {
      expect((await requestOf(db, requestId)).finishedAt).toBeNull();
      await runRequest(engine, requestId);
      await expireLease(db, requestId);
    }
    const why = "The rollback could not go on: 5 workers were lost while they ran it";
    expect(await messagesOf(requestId)).toEqual(["No", why]);
    expect(await requestOf(db, requestId)).toMatchObject({ successful: false, message: "No" });
  });

  it("ends even if the record cannot be discarded", async () => {
    const workflows = provisionNetwork(fail, () => Promise.reject(new Error("a defect in discard")));
    const { requestId } = await requestNetwork(database.db, account);
    await runToEnd(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(database.db, requestId)).toMatchObject({ successful: false, message: "No" });
  });
});

describe("a cancel", () => {
  const cancelled = { successful: false, message: "Cancelled", leakedResources: [] };

  it("before the start ends the Request without a call to the cloud", async () => {
    const { db } = database;
    cloud.onCall = (name) => {
      throw new Error(`called ${name}`);
    };
    const { requestId, networkId } = await requestNetwork(db, account);
    await cancel(db, requestId);
    await runRequest(testEngine(database, cloud), requestId);
    expect(await requestOf(db, requestId)).toMatchObject(cancelled);
    expect((await db.network.findUnique({ where: { id: networkId } }))?.deletedAt).not.toBeNull();
  });

  it("during the run stops it at the next object and removes the earlier ones", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const workflows = provisionNetwork(async (context) => {
      const scope = context.cloud(HERE);
      await scope.ensure(cluster, {});
      await cancel(db, requestId);
      await scope.ensure(node, {});
    });
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(db, requestId)).toMatchObject(cancelled);
    expect(cloud.objects.size).toBe(0);
  });

  it("after the last object is also honored", async () => {
    const { db } = database;
    const { requestId } = await requestNetwork(db, account);
    const workflows = provisionNetwork(async (context) => {
      await context.cloud(HERE).ensure(cluster, {});
      await cancel(db, requestId);
    });
    await runRequest(testEngine(database, cloud, { workflows }), requestId);
    expect(await requestOf(db, requestId)).toMatchObject(cancelled);
    expect(cloud.objects.size).toBe(0);
  });
});
