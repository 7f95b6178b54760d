import { randomUUID } from "node:crypto";
import { connectDb, insertInto } from "@gantry/db";
import { connectRedis, QUEUE } from "@gantry/queue";
import { installationRegistry } from "@gantry/telemetry";
import { createPlainAccount } from "@gantry/test/support/account";
import { startTestApi } from "@gantry/test/support/api";
import { endRequest } from "@gantry/test/support/api-test";
import { fakeDate } from "@gantry/test/support/fake-date";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { redisUrl } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { requestNetwork } from "@gantry/test/support/work";
import { Queue } from "bullmq";
import { installationMetrics } from "./installation-metrics.js";

const api = await startTestApi();
afterAll(() => api.close());
afterEach(() => {
  jest.useRealTimers();
});
const { db, env } = api;

type Read = Parameters<typeof installationMetrics>[0];

/** Reads the metrics anew, and returns the samples by name and labels. */
async function read(dependencies: Partial<Read> = {}): Promise<Record<string, number>> {
  await installationMetrics({ db, redis: undefined, env, ...dependencies }, async () => 7)();
  const text = await installationRegistry.metrics();
  return Object.fromEntries(
    [...text.matchAll(/^gantry_(\S+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

it("counts unfinished Requests by type and state, and knows the age of the oldest due one", async () => {
  const tenant = await createPlainAccount(db);
  const setTimes = (count: number, dueInSeconds: number, leaseSeconds: number | null) =>
    Promise.all(
      Array.from({ length: count }, async () => {
        const { requestId } = await requestNetwork(db, tenant);
        await db.$executeRaw`
          UPDATE requests SET next_run_at = now() + make_interval(secs => ${dueInSeconds}),
            lease_until = now() + make_interval(secs => ${leaseSeconds}::int)
          WHERE id = ${requestId}::uuid`;
      }),
    );
  await setTimes(3, -90, null);
  await setTimes(2, -900, 3600);
  await setTimes(1, 3600, null);
  await endRequest(db, (await requestNetwork(db, tenant)).requestId);
  const metrics = await read();
  const label = '{type="provision_network"}';
  expect([`due${label}`, `running${label}`, `waiting${label}`].map((name) => metrics[`requests_${name}`])).toEqual([
    3, 2, 1,
  ]);
  expect(metrics.oldest_due_seconds).toBeGreaterThanOrEqual(90);
  expect(metrics.database_up).toBe(1);
});

it("counts objects in doubt, leaked objects, and what is late", async () => {
  const tenant = await createPlainAccount(db);
  const { accountId, provider } = tenant;
  const [open, ended] = await Promise.all([requestNetwork(db, tenant), requestNetwork(db, tenant)]);
  const object = {
    accountId,
    providerId: provider.id,
    region: "here",
    resourceType: "network",
    kind: "vpc",
    params: {},
  };
  await db.cloudObject.createMany({
    data: [
      { id: randomUUID(), requestId: open.requestId, resourceId: "1", key: "sent", ...object },
      { id: randomUUID(), requestId: open.requestId, resourceId: "1", key: "known", cloudId: "vpc-1", ...object },
      {
        id: randomUUID(),
        requestId: open.requestId,
        resourceId: "1",
        key: "refused",
        attemptedAt: new Date(0),
        ...object,
      },
      { id: randomUUID(), requestId: open.requestId, resourceId: "1", key: "gone", removedAt: new Date(), ...object },
      { id: randomUUID(), requestId: ended.requestId, resourceId: "2", key: "ended", ...object },
    ],
  });
  await endRequest(db, ended.requestId);
  await db.request.update({ where: { id: ended.requestId }, data: { leakedResources: [{}, {}] } });
  const webhook = {
    accountId,
    url: "https://hooks.example.com",
    secret: Buffer.alloc(1),
    baseUrl: "https://gantry.test",
  };
  const horizon = { position: 9_000_000_000_000n };
  const [late, disabled] = [randomUUID(), randomUUID()];
  await db.webhook.createMany({
    data: [
      { id: late, ...webhook, ...horizon },
      { id: disabled, ...webhook, ...horizon, disabledAt: new Date() },
    ],
  });
  const delivery = (webhookId: string, ageSeconds: number) => ({
    ...{ id: randomUUID(), accountId, webhookId, type: "x" },
    nextAttemptAt: new Date(Date.now() - ageSeconds * 1000),
  });
  await db.webhookDelivery.createMany({ data: [delivery(late, 100), delivery(late, -100), delivery(disabled, 900)] });
  const audit = { id: randomUUID(), accountId, traceId: "", action: "", changes: {}, status: 200 };
  await db.$executeRaw`${insertInto("pending_audit_records", { ...audit, createdAt: new Date(Date.now() - 50_000) })}`;
  await db.drift.create({
    data: {
      ...{ id: randomUUID(), accountId, providerId: provider.id, region: "here", finding: "orphan", kind: "vpc" },
      cloudId: "vpc-2",
    },
  });

  const metrics = await read();
  expect(metrics).toMatchObject({
    ledger_rows_in_doubt: 1,
    leaked_objects: 2,
    webhook_deliveries_pending: 2,
    audit_records_pending: 1,
    event_horizon_age_seconds: 7,
    'drift_findings{finding="orphan"}': 1,
    'drift_findings{finding="changed"}': 0,
  });
  const lags = [metrics.webhook_lag_seconds, metrics.audit_lag_seconds];
  expect(lags).toEqual([expect.closeTo(100, -2), expect.closeTo(50, -2)]);
});

it("shows how long events wait to become deliveries, unless their webhook pauses", async () => {
  const tenant = await createPlainAccount(db);
  await db.event.updateMany({ data: { createdAt: new Date(Date.now() - 3_000_000) } });
  const { accountId } = tenant;
  const id = randomUUID();
  const data = { id, accountId, url: "https://hooks.example.com", secret: Buffer.alloc(1), position: 0n };
  await db.webhook.create({ data: { ...data, baseUrl: "https://gantry.test" } });
  expect((await read()).webhook_lag_seconds).toBeGreaterThan(2900);
  await db.webhook.update({ where: { id }, data: { resumesAt: new Date(Date.now() + 3_600_000) } });
  const nextAttemptAt = new Date(Date.now() - 3_000_000);
  await db.webhookDelivery.create({ data: { id: randomUUID(), accountId, webhookId: id, type: "x", nextAttemptAt } });
  expect((await read()).webhook_lag_seconds).toBeLessThan(2900);
});

it("shows the age of the oldest scan of a region that is still scanned", async () => {
  const { accountId, provider } = await createPlainAccount(db);
  const look = async (region: string, ageSeconds: number, disabledAt: Date | null) => {
    const place = { id: randomUUID(), accountId, providerId: provider.id };
    const location = { ...place, locationId: region, locationName: region, disabledAt };
    await db.providerLocation.create({ data: location });
    const lastScannedAt = new Date(Date.now() - ageSeconds * 1000);
    await db.driftRegion.create({ data: { ...place, region, lastScannedAt, dueAt: new Date() } });
  };
  await look("new", 100, null);
  await look("old", 5000, null);
  await look("disabled", 9000, new Date());
  expect((await read()).drift_scan_age_seconds).toBeCloseTo(5000, -2);
  await db.provider.update({ where: { id: provider.id }, data: { cancelledAt: new Date() } });
  expect((await read()).drift_scan_age_seconds).toBe(0);
});

it("counts the jobs and the workers in Redis, and leaves them out while Redis does not answer", async () => {
  const proxy = await startFlakyTcpProxy(new URL(redisUrl));
  const redis = connectRedis(throughProxy(proxy, redisUrl), { answerSeconds: 1 }).on("error", () => {});
  const direct = connectRedis(redisUrl);
  const queue = new Queue(QUEUE, { connection: direct, prefix: env.QUEUE_PREFIX });
  try {
    await until(async () => redis.status === "ready");
    await queue.add("provision_network", {});
    await queue.pause();
    expect(await read({ redis })).toMatchObject({
      redis_up: 1,
      workers: 0,
      [`queue_jobs{queue="${QUEUE}",state="waiting"}`]: 1,
      [`queue_paused{queue="${QUEUE}"}`]: 1,
    });
    proxy.disconnect();
    const metrics = await read({ redis });
    expect([metrics.redis_up, metrics.workers, metrics.database_up]).toEqual([0, undefined, 1]);
  } finally {
    redis.disconnect();
    await queue.close();
    direct.disconnect();
    proxy.close();
  }
});

it("leaves out what it cannot read while PostgreSQL does not answer", async () => {
  const proxy = await startFlakyTcpProxy(new URL(api.database.url));
  const broken = connectDb(throughProxy(proxy, api.database.url), 2);
  proxy.disconnect();
  const metrics = await read({ db: broken });
  expect([metrics.database_up, metrics.oldest_due_seconds, metrics.leaked_objects]).toEqual([0, undefined, undefined]);
  await broken.$disconnect();
  proxy.close();
});

it("reads at most once in five seconds, however often it is asked", async () => {
  let reads = 0;
  const refresh = installationMetrics({ db, redis: undefined, env }, async () => ++reads);
  await Promise.all([refresh(), refresh()]);
  await refresh();
  expect(reads).toBe(1);
});

it("begins no second read of PostgreSQL while one lasts", async () => {
  fakeDate();
  let reads = 0;
  const lasting = Promise.withResolvers<number>();
  const refresh = installationMetrics({ db, redis: undefined, env }, () => {
    reads += 1;
    return lasting.promise;
  });
  const scrapes = [refresh()];
  jest.setSystemTime(Date.now() + 6000);
  scrapes.push(refresh());
  expect(reads).toBe(1);
  lasting.resolve(42);
  await Promise.all(scrapes);
  expect(await installationRegistry.metrics()).toMatch(/^gantry_event_horizon_age_seconds 42$/m);
});
