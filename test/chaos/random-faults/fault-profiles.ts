import type { AwsControl, FaultRule } from "@gantry/local-stack";
import type { FaultProfile } from "./fault-schedule.js";

const SOMETIMES = { action: "*", probability: 0.05 } as const;

// The errors are those of AWS: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
const RULES: Record<FaultProfile, FaultRule[]> = {
  none: [],
  "lost responses": [{ ...SOMETIMES, kind: "loseResponse" }],
  throttling: [{ action: "*", kind: "throttle", ratePerSecond: 10, burst: 20 }],
  "server errors": [{ ...SOMETIMES, kind: "error", code: "InternalError", status: 500 }],
  "connection resets": [{ ...SOMETIMES, kind: "reset" }],
  "slow responses": [{ action: "*", probability: 0.3, kind: "delay", delayMs: 800 }],
  "delayed visibility": [{ action: "*", kind: "delayVisibility", delayMs: 2000 }],
};

/** Replaces the faults of AWS for all callers. `seed` draws the affected calls. */
export async function applyFaultProfile(aws: AwsControl, profile: FaultProfile, seed: number): Promise<void> {
  await aws.clear();
  for (const rule of RULES[profile]) await aws.fault({ ...rule, seed });
}

/** Sets the time that new resources take to become usable, under every fault profile. */
export async function setProvisioningTimes(aws: AwsControl): Promise<void> {
  await aws.setTransitionDelays({ instanceMs: 1500, volumeMs: 500, snapshotMs: 1500, databaseMs: 2500 });
}
