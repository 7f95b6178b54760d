import { Counter, Gauge, Histogram } from "prom-client";
import { workerRegistry } from "./registries.js";

const registers = [workerRegistry];

export const workerSlots = new Gauge({
  name: "gantry_worker_slots",
  help: "The Requests that the worker can run at the same time. The label `state` is `used` or `free`.",
  labelNames: ["state"],
  registers,
});

export const startDelay = new Histogram({
  name: "gantry_request_start_delay_seconds",
  help: "The time from the acceptance of a Request until a worker first ran it. It includes the time behind an earlier Request on its resource.",
  labelNames: ["type"],
  buckets: [0.05, 0.25, 1, 5, 15, 60, 300],
  registers,
});

export const requestDuration = new Histogram({
  name: "gantry_request_duration_seconds",
  help: "The time from the acceptance of a Request until it ended. The label `result` is `successful`, `failed` or `cancelled`.",
  labelNames: ["type", "result"],
  buckets: [1, 5, 15, 60, 300, 900, 3600],
  registers,
});

export const runs = new Counter({
  name: "gantry_request_runs_total",
  help: "Runs of Requests, from a claim until the worker let go. The label `result` is `ended`, `sleeping`, `lease_lost` or `broken`.",
  labelNames: ["type", "result"],
  registers,
});

export const stageDuration = new Histogram({
  name: "gantry_stage_duration_seconds",
  help: "The time of one attempt at a stage.",
  labelNames: ["type", "stage"],
  buckets: [0.1, 1, 5, 30, 120],
  registers,
});

export const takeovers = new Counter({
  name: "gantry_takeovers_total",
  help: "Requests that the worker took over because another worker had lost its lease.",
  labelNames: ["type"],
  registers,
});

export const readdedJobs = new Counter({
  name: "gantry_restored_jobs_total",
  help: "Jobs that the worker added for due Requests because Redis had none that could still run.",
  registers,
});

export const awsCallDuration = new Histogram({
  name: "gantry_aws_call_duration_seconds",
  help: "The time of one attempt at a call to AWS. The label `outcome` is `ok`, `throttled`, `refused` (AWS rejected the call) or `failed` (AWS did not answer, or with an internal error).",
  labelNames: ["service", "action", "outcome"],
  buckets: [0.05, 0.2, 0.5, 1, 3, 10],
  registers,
});

export const awsRateWait = new Histogram({
  name: "gantry_aws_rate_wait_seconds",
  help: "The time that calls waited so that they stay within AWS's rates. Calls that did not wait are not counted.",
  labelNames: ["service"],
  buckets: [0.05, 0.2, 0.5, 1],
  registers,
});

export const awsRateSleeps = new Counter({
  name: "gantry_aws_rate_sleeps_total",
  help: "Calls that would have waited too long, so that their Request or scan sleeps until AWS's rates allow them.",
  labelNames: ["service"],
  registers,
});

export const webhookDuration = new Histogram({
  name: "gantry_webhook_duration_seconds",
  help: "The time of one attempt to deliver to a webhook. The label `outcome` is `delivered` or `failed`.",
  labelNames: ["outcome"],
  buckets: [0.1, 0.5, 2, 10],
  registers,
});
