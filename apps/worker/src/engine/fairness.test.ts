import type { Provider } from "@gantry/db";
import { openRedis, RequestNotifier } from "@gantry/requests";
import { createPlainAccount } from "@gantry/test/support/account";
import { testEngine } from "@gantry/test/support/engine";
import { FakeCloud } from "@gantry/test/support/fake-cloud";
import { provisionNetwork } from "@gantry/test/support/request-runs";
import { cloneDatabase, type TestDatabase, testEnv, testLog } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { open, openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { claimNext } from "./claim.js";
import { isWatched } from "./watch.js";
import { startWorker } from "./worker.js";

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

it("starts the Request of one account while another account fills all slots that one account may hold", async () => {
  const { db } = database;
  const [flooder, other] = [await createPlainAccount(db), await createPlainAccount(db)];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const workflows = provisionNetwork(() => released);
  const env = testEnv(database);
  const redis = openRedis(env.REDIS_URL);
  const notifier = new RequestNotifier(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  const stop = startWorker(testEngine(database, new FakeCloud(), { workflows, notifier }), {
    redis,
    prefix: env.QUEUE_PREFIX,
    concurrency: 10,
    sweepSeconds: 60,
  });
  const openFor = async (account: typeof flooder) => {
    const { requestId: id } = await openNetwork(db, account);
    return { id, wake: 0 };
  };
  const started = (accountId: string) => db.request.count({ where: { accountId, startedAt: { not: null } } });
  try {
    const flood = await Promise.all(Array.from({ length: 60 }, () => openFor(flooder)));
    notifier.notify(...flood);
    await until(async () => (await started(flooder.accountId)) === 8);
    notifier.notify(await openFor(other));
    await until(async () => (await started(other.accountId)) === 1);
    expect(await started(flooder.accountId)).toBe(8);
  } finally {
    release();
    await stop();
    await notifier.close();
    redis.disconnect();
  }
});

describe("the next claim", () => {
  const nextClaims = (count: number, fullAccounts: string[] = []) => {
    const engine = testEngine(database, new FakeCloud());
    const choice = { watched: isWatched(engine.kinds), fullAccounts };
    return Promise.all(Array.from({ length: count }, () => claimNext(engine, choice)));
  };
  const idsOf = (claims: Awaited<ReturnType<typeof nextClaims>>) =>
    claims.flatMap((claimed) => {
      claimed?.lease.close();
      return claimed ? [claimed.state.request.id] : [];
    });
  const openFor = async (account: { accountId: string; provider: Provider }, resourceId?: string) =>
    resourceId
      ? open(database.db, account, "provision_network", { type: "network", id: resourceId }, { skipSubnets: true })
      : (await openNetwork(database.db, account)).requestId;
  beforeEach(() => database.db.$executeRaw`TRUNCATE requests CASCADE`);

  it("takes the Request of the account for which the fewest run, then the one that is due longest", async () => {
    const [many, few] = [await createPlainAccount(database.db), await createPlainAccount(database.db)];
    const ofMany = [await openFor(many), await openFor(many), await openFor(many)];
    const ofFew = [await openFor(few), await openFor(few)];
    const order = [];
    for (let i = 0; i < 6; i++) order.push(...idsOf(await nextClaims(1)));
    expect(order).toEqual([ofMany[0], ofFew[0], ofMany[1], ofFew[1], ofMany[2]]);
  });

  it("is another Request for each of twenty workers that claim at once", async () => {
    const accounts = await Promise.all(Array.from({ length: 4 }, () => createPlainAccount(database.db)));
    const opened = [];
    for (let i = 0; i < 20; i++) opened.push(await openFor(accounts[i % 4] as (typeof accounts)[number]));
    expect(idsOf(await nextClaims(20)).sort()).toEqual(opened.sort());
  });

  it("takes one of the Requests of a resource although two could be first, and then another account's", async () => {
    const [one, other] = [await createPlainAccount(database.db), await createPlainAccount(database.db)];
    const { requestId: first, networkId } = await openNetwork(database.db, one);
    await openFor(one, networkId);
    const ofOther = await openFor(other);
    expect(idsOf(await nextClaims(4)).sort()).toEqual([first, ofOther].sort());
  });

  it("leaves out the accounts that run all that they may here", async () => {
    const [full, other] = [await createPlainAccount(database.db), await createPlainAccount(database.db)];
    await openFor(full);
    const ofOther = await openFor(other);
    expect(idsOf(await nextClaims(2, [full.accountId]))).toEqual([ofOther]);
  });
});
