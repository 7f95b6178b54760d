import { type DestinationStream, type Logger, type LoggerOptions, pino } from "pino";
import { currentTrace } from "./trace.js";

export type Log = Logger;

const SECRETS = ["authorization", "password", "token", "api_token", "secret_access_key", "credentials"];

/** Writes structured log lines, to standard output without `destination`. Every line has the current trace id; values of secret names are hidden. */
export function createLog(app: string, level: string, destination?: DestinationStream): Log {
  const options: LoggerOptions = {
    level,
    base: { app, pid: process.pid },
    redact: { paths: SECRETS.flatMap((name) => [name, `*.${name}`]), censor: "[secret]" },
    mixin: () => {
      const trace = currentTrace();
      return trace ? { trace_id: trace } : {};
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
