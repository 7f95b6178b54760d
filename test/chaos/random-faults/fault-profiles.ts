import type { AwsControl, FaultRule } from "@gantry/local-stack";

const SOMETIMES = { action: "*", probability: 0.05 } as const;

// The errors of AWS, in the order by which a seed draws: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
export const FAULT_PROFILES = {
  none: [],
  "lost responses": [{ ...SOMETIMES, kind: "loseResponse" }],
  throttling: [{ action: "*", kind: "throttle", ratePerSecond: 10, burst: 20 }],
  "server errors": [{ ...SOMETIMES, kind: "error", code: "InternalError", status: 500 }],
  "connection resets": [{ ...SOMETIMES, kind: "reset" }],
  "slow responses": [{ action: "*", probability: 0.3, kind: "delay", delayMs: 800 }],
  "delayed visibility": [{ action: "*", kind: "delayVisibility", delayMs: 2000 }],
} as const satisfies Record<string, FaultRule[]>;

export type FaultProfile = keyof typeof FAULT_PROFILES;

/** Replaces the faults of AWS for all callers. `seed` draws the affected calls. */
export async function applyFaultProfile(aws: AwsControl, profile: FaultProfile, seed: number): Promise<void> {
  await aws.clear();
  for (const rule of FAULT_PROFILES[profile]) await aws.fault({ ...rule, seed });
}

/** Sets the time that new resources take to become usable, under every fault profile. */
export async function setProvisioningTimes(aws: AwsControl): Promise<void> {
  await aws.setTransitionDelays({ instanceMs: 1500, volumeMs: 500, snapshotMs: 1500, databaseMs: 2500 });
}
