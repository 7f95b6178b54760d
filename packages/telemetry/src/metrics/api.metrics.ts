import { Gauge, Histogram } from "prom-client";
import { apiRegistry } from "./registries.js";

const registers = [apiRegistry];

export const httpDuration = new Histogram({
  name: "gantry_http_request_duration_seconds",
  help: "The time until the API answered. The label `route` is a pattern such as `/networks/:network`, or `none`; the status 499 means that the client left.",
  labelNames: ["method", "route", "status"],
  buckets: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
  registers,
});

export const waitingCalls = new Gauge({
  name: "gantry_http_waiting_calls",
  help: "The long polls and event streams that are open.",
  registers,
});
