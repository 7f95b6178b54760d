import { testEngine, wakeUp } from "@gantry/test/support/engine";
import { startEngineTest } from "@gantry/test/support/engine-test";
import { cluster, FakeCloud } from "@gantry/test/support/fake-cloud";
import { HERE, provisionNetwork } from "@gantry/test/support/request-runs";
import { requestNetwork } from "@gantry/test/support/work";
import type { CloudKind } from "./cloud-kind.js";
import { runRequest } from "./run.js";

const { database, account } = await startEngineTest();

it("repeats a create with the tags of its intent, even if the record's tags have changed, and keeps Gantry's own", async () => {
  const { db } = database;
  const lost = new Error("socket hang up");
  const sent: Record<string, string>[] = [];
  const kind: CloudKind<FakeCloud, object> = {
    ...cluster,
    strategy: "token",
    create: (cloud, intent) => {
      sent.push(intent.tags);
      return sent.length === 1 ? Promise.reject(lost) : cluster.create(cloud, intent);
    },
  };
  const engine = testEngine(database, new FakeCloud(), {
    workflows: provisionNetwork(async ({ cloud }) => void (await cloud(HERE).ensure(kind, {}))),
    kinds: new Map([[kind.kind, kind]]),
    classify: (thrown) => (thrown === lost ? { kind: "retry", message: "lost" } : undefined),
  });
  const { requestId, networkId: id } = await requestNetwork(db, account);
  const tag = (tags: object, name: string) => db.network.update({ where: { id }, data: { tags, name } });
  await tag({ team: "shop", "gantry:account": "another" }, "first");
  await runRequest(engine, requestId);
  await tag({ team: "web" }, "second");
  await wakeUp(db, requestId);
  await runRequest(engine, requestId);
  expect(sent[0]).toMatchObject({ team: "shop", Name: "first", "gantry:account": account.accountId });
  expect(sent).toEqual([sent[0], sent[0]]);
});
