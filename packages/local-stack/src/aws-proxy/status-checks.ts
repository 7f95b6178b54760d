import { type AwsResponse, withBody } from "./aws-response.js";
import type { Call } from "./call.js";
import type { StateTransitions } from "./state-transitions.js";

const RUNNING =
  /<instanceId>(i-\w+)<\/instanceId><instanceState><code>16<\/code><name>running<\/name><\/instanceState><instanceStatus>.*?<\/systemStatus>/gs;
const PENDING =
  /(<name>(?:pending|stopping|shutting-down)<\/name><\/instanceState>)<instanceStatus>.*?<\/systemStatus>/gs;

/** Reports a new instance as `initializing` first, as AWS does; the emulator passes its checks at once. */
export function showStatusChecks(
  call: Call,
  response: AwsResponse,
  regionKey: string,
  transitions: StateTransitions,
): AwsResponse {
  if (call.service !== "ec2" || call.action !== "DescribeInstanceStatus" || response.status >= 400) return response;
  const text = response.body.toString().replace(PENDING, (_match, state: string) => state + checks("not-applicable"));
  const shown = text.replace(RUNNING, (match, id: string) => {
    const key = `${id} status checks`;
    const isFirst = !transitions.has(regionKey, key);
    if (isFirst) transitions.start(regionKey, key, "initializing");
    const isInitializing = isFirst || transitions.current(regionKey, key, "statusChecksMs");
    return isInitializing ? match.replace(/<instanceStatus>.*$/s, checks("initializing")) : match;
  });
  return withBody(response, shown);
}

function checks(status: string): string {
  const details = `<details><item><name>reachability</name><status>${status}</status></item></details>`;
  const content = `${details}<status>${status}</status>`;
  return `<instanceStatus>${content}</instanceStatus><systemStatus>${content}</systemStatus>`;
}
