import { connectRedis } from "@gantry/queue";
import { startFlakyTcpProxy, throughProxy } from "@gantry/test/support/flaky-tcp-proxy";
import { cloneDatabase, redisUrl } from "@gantry/test/support/stack";
import { until } from "@gantry/test/support/until";
import { workerReadiness } from "./readiness.js";

it("is ready as long as PostgreSQL responds, and says whether Redis does", async () => {
  const { db, drop } = await cloneDatabase();
  const proxy = await startFlakyTcpProxy(new URL(redisUrl));
  const redis = connectRedis(throughProxy(proxy, redisUrl));
  await until(async () => redis.status === "ready");
  const read = workerReadiness({ db, redis, isStopping: () => false });
  expect(await read()).toEqual({ ready: true, database: true, writable: true, redis: true, stopping: false });
  proxy.dropRepliesTo("ping");
  expect(await read()).toEqual({ ready: true, database: true, writable: true, redis: false, stopping: false });
  redis.disconnect();
  expect(await read()).toEqual({ ready: true, database: true, writable: true, redis: false, stopping: false });
  proxy.close();
  await drop();
});
