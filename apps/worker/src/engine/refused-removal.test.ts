import { randomUUID } from "node:crypto";
import { createPlainAccount } from "@gantry/test/support/account";
import { fakeWorkflow, testEngine, wakeUp } from "@gantry/test/support/engine";
import { cluster, FakeCloud, node } from "@gantry/test/support/fake-cloud";
import { HERE, requestOf, workflowsOf } from "@gantry/test/support/request-runs";
import { cloneDatabase } from "@gantry/test/support/stack";
import { createRequestOf } from "@gantry/test/support/work";
import type { CloudKind } from "./cloud-kind.js";
import { runRequest } from "./run.js";

const database = await cloneDatabase();
afterAll(() => database.drop());

const wait = { reason: "the cloud to empty the cluster", retryInSeconds: 5, limitMinutes: 30 };

/** A removal that the cloud refuses because of two nodes, and the nodes' ids. */
async function refusedRemoval(cloud: FakeCloud, isStopping = () => false) {
  const { db } = database;
  const account = await createPlainAccount(db);
  const guarded: CloudKind<FakeCloud> = {
    ...cluster,
    obstacles: async (client) => client.idsOf("node").map((id) => ({ fact: `contains node ${id}`, ids: [id] })),
  };
  const kinds = new Map([guarded, node].map((kind) => [kind.kind, kind]));
  const engine = testEngine(database, cloud, {
    kinds,
    isStopping,
    classify: (error) => (/still has nodes/.test((error as Error).message) ? { kind: "wait", wait } : undefined),
    workflows: workflowsOf(
      fakeWorkflow({
        type: "provision_network",
        stages: { create: async (context) => void (await context.cloud(HERE).ensure(guarded, {})) },
        discard: async () => {},
      }),
      fakeWorkflow({
        type: "deprovision_network",
        stages: { destroy: ({ cloud: open }) => open(HERE).removeAll(kinds) },
      }),
    ),
  });
  const network = { type: "network", id: randomUUID() } as const;
  await runRequest(engine, await createRequestOf(db, account, "provision_network", network, { skipSubnets: true }));
  const nodes = ["left", "right"].map((token) =>
    cloud.create("node", { token, tags: {}, params: {} } as Parameters<FakeCloud["create"]>[1]),
  );
  const id = await createRequestOf(db, account, "deprovision_network", network, {});
  const afterRun = async () => {
    await wakeUp(db, id);
    await runRequest(engine, id);
    return requestOf(db, id);
  };
  return { nodes: nodes as string[], afterRun };
}

it("names what a removal waits for in the status, which follows what the cloud shows", async () => {
  const cloud = new FakeCloud();
  const { nodes, afterRun } = await refusedRemoval(cloud);
  const [left, right] = nodes as [string, string];
  const reason = "the cloud to empty the cluster: the cluster cluster-1 contains node";
  expect((await afterRun()).waitingFor).toBe(`${reason} ${left}, contains node ${right}`);
  cloud.objects.delete(left);
  expect((await afterRun()).waitingFor).toBe(`${reason} ${right}`);
  cloud.objects.delete(right);
  expect((await afterRun()).successful).toBe(true);
});

it.each([
  ["before the cloud is called", "start"],
  ["before it has asked what is in the way", "remove cluster"],
])("a worker that shuts down %s releases its Request at once, which has waited as long as before", async (_, point) => {
  const cloud = new FakeCloud();
  let isStopping = false;
  const { nodes, afterRun } = await refusedRemoval(cloud, () => isStopping);
  const { cloudWait } = await afterRun();
  expect(cloudWait).toMatchObject({ reason: wait.reason });
  if (point === "start") isStopping = true;
  cloud.onCall = (name) => {
    if (name === point) isStopping = true;
  };
  const released = { leaseUntil: null, stageAttempts: 0, finishedAt: null, takeovers: 0, waitingFor: null, cloudWait };
  expect(await afterRun()).toMatchObject(released);
  isStopping = false;
  cloud.onCall = () => {};
  for (const id of nodes) cloud.objects.delete(id);
  expect((await afterRun()).successful).toBe(true);
});
