import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { connectDb, prepareDatabase, Vault, waitForInstallationKeys } from "@gantry/db";
import { connectRedis, JobQueues, webhookLookup } from "@gantry/queue";
import { createLog, OutageLog, onShutdown, ownerDatabaseUrl, readEnv } from "@gantry/runtime";
import { serveMetrics, startTracing } from "@gantry/telemetry";
import { buildApp } from "./app.js";
import { drainable } from "./http/server/drain.js";
import { httpServer } from "./http/server/server.js";

const env = readEnv();
const log = createLog("api", env.LOG_LEVEL);
if (process.argv.includes("--migrate")) {
  const migrations = fileURLToPath(new URL("../../../prisma/migrations", import.meta.url));
  await prepareDatabase(ownerDatabaseUrl(env), env.DATABASE_URL, migrations);
}

const stopTracing = await startTracing(env, "gantry-api", log);
const db = connectDb(env.DATABASE_URL, env.DATABASE_POOL_SIZE);
const jobs = new JobQueues(env.REDIS_URL, env.QUEUE_PREFIX, log, webhookLookup(db));
const redis = connectRedis(env.REDIS_URL, { answerSeconds: 1, pipelines: true });
// The queue logs the same error, and each process keeps its limits without Redis.
redis.on("error", () => {});

const keys = await waitForInstallationKeys(db, env.MASTER_KEY, new OutageLog(log, "read of the installation keys"));
const application = buildApp({ env, db, jobs, redis, log, vault: new Vault(env.MASTER_KEY), keys });
const server = httpServer(application.app);
const drain = drainable(server);
const stopMetrics = await serveMetrics(env, application.observed, log);

onShutdown(log, env.SHUTDOWN_SECONDS, async () => {
  await drain(() => application.close());
  await stopMetrics();
  await jobs.close();
  redis.disconnect();
  await db.$disconnect();
  await stopTracing();
});

server.listen(env.PORT, env.HOST);
await once(server, "listening").catch((error: NodeJS.ErrnoException) => {
  process.send?.({ failed: error.code });
  throw error;
});
const { port } = server.address() as AddressInfo;
log.info({ host: env.HOST, port }, "listening");
process.send?.({ listening: port });
