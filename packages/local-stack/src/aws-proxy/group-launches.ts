import type { Call } from "./call.js";
import type { FaultRules } from "./faults.js";

/** The calls at which the emulator launches a group's instances; AWS tries again by itself between two calls. */
const LAUNCHING =
  /^(CreateAutoScalingGroup|UpdateAutoScalingGroup|SetDesiredCapacity|DescribeScalingActivities|DescribeInstanceRefreshes)$/;

/** An error that is injected into RunInstances fails the launches of scaling groups too: its message ends an activity. */
export function withLaunchFault(call: Call, faults: FaultRules, accountId: string): Call {
  if (!LAUNCHING.test(call.action)) return call;
  const launch = { ...call, service: "ec2", action: "RunInstances" };
  const rules = faults.triggeredBy(launch, accountId);
  const fault = rules.find(({ kind, action }) => kind === "error" && action === launch.action);
  if (!fault) return call;
  const failure = `${fault.message ?? "An injected error."} Launching EC2 instance failed.`;
  return { ...call, headers: { ...call.headers, "x-gantry-launch-failure": encodeURIComponent(failure) } };
}
