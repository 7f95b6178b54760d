import { createLog, onShutdown, readEnv } from "@gantry/runtime";
import { startApp } from "./app.js";

const env = readEnv();
const log = createLog("worker", env.LOG_LEVEL);
const stop = await startApp(env, log);
onShutdown(log, env.SHUTDOWN_SECONDS, stop);
process.send?.("ready");
