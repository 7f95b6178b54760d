import type { Db } from "@gantry/db";
import { createPlainAccount } from "@gantry/test/support/account";
import { expireLease, fakeWorkflow, type TestEngine, testEngine, wakeUp } from "@gantry/test/support/engine";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import { cloneDatabase, type TestDatabase } from "@gantry/test/support/stack";
import { openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { CloudKind } from "./cloud-kind.js";
import type { Engine } from "./engine.js";
import { runRequest } from "./run.js";
import { notYet, permanent, type StageError } from "./stage-errors.js";

let database: TestDatabase;
let cloud: FakeCloud;
/** Whether the cloud does not show yet what it has made. */
let isHidden: boolean;
/** What the call says in place of the answer that is lost. */
let lost: Error;

beforeAll(async () => {
  database = await cloneDatabase();
});
beforeEach(() => {
  [cloud, isHidden, lost] = [new FakeCloud(), true, new Error("socket hang up")];
});
afterAll(() => database.drop());

/** A cluster that is made though its first answer never comes. */
function lostCluster(strategy: CloudKind<FakeCloud>["strategy"]): CloudKind<FakeCloud, object> {
  return {
    ...cluster,
    strategy,
    find: async (...requested) => (isHidden ? [] : cluster.find(...requested)),
    create: async (...requested) => {
      const id = await cluster.create(...requested);
      if (cloud.idsOf("cluster").length === 1) throw lost;
      return id;
    },
  };
}

/** Makes one cluster; `beside` gives what the stage says of something else meanwhile. */
function engineWith(kind: CloudKind<FakeCloud, object>, beside?: () => Promise<StageError>): TestEngine {
  const create = fakeWorkflow({
    type: "provision_network",
    stages: {
      create: async ({ cloud: at }) => {
        const making = at({ providerId: 1, region: "here" }).ensure(kind, {});
        if (beside) throw await beside();
        await making;
      },
    },
    discard: async () => {},
  });
  return testEngine(database, cloud, {
    workflows: new Map([["provision_network", create]]) as Engine<FakeCloud>["workflows"],
    kinds: new Map([["cluster", kind]]),
    visibilitySeconds: 60,
    classify: (error) => (error === lost ? { kind: "retry", message: "lost" } : undefined),
  });
}

async function begun(engine: TestEngine): Promise<{ goOn: () => Promise<{ isOver: boolean }> }> {
  const { requestId } = await openNetwork(database.db, await createPlainAccount(database.db));
  const goOn = async () => {
    await wakeUp(database.db, requestId);
    await runRequest(engine, requestId);
    const { finishedAt } = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
    return { isOver: finishedAt !== null };
  };
  await runRequest(engine, requestId);
  return { goOn };
}

describe("what a lost call has made and the cloud does not show yet", () => {
  it.each(["tag", "name"] as const)("is waited for before it would be made again: found by %s", async (strategy) => {
    const { goOn } = await begun(engineWith(lostCluster(strategy)));
    expect((await goOn()).isOver).toBe(false);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    isHidden = false;
    expect((await goOn()).isOver).toBe(true);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });

  it.each(["tag", "name", "token"] as const)("is waited for before a rollback ends: found by %s", async (strategy) => {
    lost = permanent("refused, as it seems");
    const { goOn } = await begun(engineWith(lostCluster(strategy)));
    expect((await goOn()).isOver).toBe(false);
    expect(cloud.idsOf("cluster")).toHaveLength(1);
    isHidden = false;
    expect((await goOn()).isOver).toBe(true);
    expect(cloud.idsOf("cluster")).toEqual([]);
  });
});

describe("a run that could not write what it knows of the cloud gives no result, so that its lease outlasts what it did", () => {
  it.each([
    ["that a cluster was made", "SET cloud_id", undefined],
    ["that a call was lost", "SET attempted_at", new Error("socket hang up")],
  ])("%s", async (_what, statement, loss) => {
    const kind: CloudKind<FakeCloud, object> = {
      ...cluster,
      create: async (...requested) => {
        const id = await cluster.create(...requested);
        if (loss) throw loss;
        return id;
      },
    };
    const db = dbWithout(statement);
    const engine = { ...engineWith(kind, async () => notYet("something else", { retryInSeconds: 0 })), db };
    const { requestId } = await openNetwork(database.db, await createPlainAccount(database.db));
    await runRequest(engine, requestId);
    const { leaseUntil, waitingFor } = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
    expect(leaseUntil).not.toBeNull();
    expect(waitingFor).toBeNull();
    expect(cloud.idsOf("cluster")).toHaveLength(1);
  });
});

it("what a lost worker has made is waited for from the takeover on, however long ago the worker began", async () => {
  const engine = engineWith({ ...cluster, find: async (...requested) => (isHidden ? [] : cluster.find(...requested)) });
  const { requestId } = await openNetwork(database.db, await createPlainAccount(database.db));
  await runRequest({ ...engine, db: dbWithout("SET cloud_id") }, requestId);
  await database.db.$executeRaw`
    UPDATE cloud_objects SET attempted_at = now() - interval '1 hour' WHERE request_id = ${requestId}::uuid`;
  await expireLease(database.db, requestId);
  await runRequest(engine, requestId);
  expect(cloud.idsOf("cluster")).toHaveLength(1);
  isHidden = false;
  await wakeUp(database.db, requestId);
  await runRequest(engine, requestId);
  const { successful } = await database.db.request.findUniqueOrThrow({ where: { id: requestId } });
  expect([successful, cloud.idsOf("cluster")]).toEqual([true, ["cluster-1"]]);
});

/** A database that cannot be reached whenever a statement with these words is to be carried out. */
function dbWithout(words: string): Db {
  return database.db.$extends({
    query: {
      $allOperations: ({ args, query }) => {
        if (!JSON.stringify(args).includes(words)) return query(args);
        throw Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
      },
    },
  }) as unknown as Db;
}
