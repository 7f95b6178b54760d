import { type Logger, pino } from "pino";
import { currentTrace } from "./trace.js";

export type Log = Logger;

const SECRETS = ["authorization", "password", "token", "api_token", "secret_access_key", "credentials"];

/** A structured log on standard output. Every line has the current trace id; values of secret names are hidden. */
export function createLog(app: string, level: string): Log {
  return pino({
    level,
    base: { app, pid: process.pid },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
    mixin: () => {
      const trace = currentTrace();
      return trace ? { trace_id: trace } : {};
    },
  });
}
