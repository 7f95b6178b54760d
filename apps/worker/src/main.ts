import { createLog, onShutdown, readEnv } from "@gantry/runtime";
import { startTracing } from "@gantry/telemetry";
import { startApp } from "./app.js";

const env = readEnv();
const log = createLog("worker", env.LOG_LEVEL);
const stopTracing = await startTracing(env, "gantry-worker", log);
const stop = await startApp(env, log);
onShutdown(log, env.SHUTDOWN_SECONDS, async () => {
  await stop();
  await stopTracing();
});
process.send?.("ready");
