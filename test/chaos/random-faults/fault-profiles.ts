import type { AwsControl, FaultRule } from "@gantry/local-stack";
import type { FaultProfile } from "./fault-schedule.js";

const OFTEN = { action: "*", probability: 0.05 } as const;

// What is thrown is what AWS throws: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
const RULES: Record<FaultProfile, FaultRule[]> = {
  calm: [],
  "losing answers": [{ ...OFTEN, kind: "loseResponse" }],
  throttling: [{ action: "*", kind: "throttle", ratePerSecond: 10, burst: 20 }],
  failing: [{ ...OFTEN, kind: "error", code: "InternalError", status: 500 }],
  cutting: [{ ...OFTEN, kind: "reset" }],
  slow: [{ action: "*", probability: 0.3, kind: "delay", delayMs: 800 }],
  unseeing: [{ action: "*", kind: "delayVisibility", delayMs: 2000 }],
};

/** Changes how AWS behaves to everybody; `seed` draws which calls are hit. */
export async function applyFaultProfile(aws: AwsControl, profile: FaultProfile, seed: number): Promise<void> {
  await aws.clear();
  for (const rule of RULES[profile]) await aws.fault({ ...rule, seed });
}

/** How long things take to become usable in all weathers. */
export async function setProvisioningTimes(aws: AwsControl): Promise<void> {
  await aws.setTransitionDelays({ instanceMs: 1500, volumeMs: 500, snapshotMs: 1500, databaseMs: 2500 });
}
