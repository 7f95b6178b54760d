import { type AwsResponse, withBody } from "./aws-response.js";
import { type Call, listParam } from "./call.js";
import type { StateTransitions } from "./state-transitions.js";
import type { TransitionDelays } from "./transition-delays.js";

/** How one kind of thing shows its state in moto 5.2's answers. */
interface StatePattern {
  delay: keyof TransitionDelays;
  /** Groups `id`, `between` and `state`; nothing else may lie between the id and the state of one thing. */
  pattern: RegExp;
  format: (state: string, progress: number) => string;
}

const INSTANCE: StatePattern = {
  delay: "instanceMs",
  pattern:
    /<instanceId>(?<id>i-\w+)<\/instanceId>(?<between>(?:<imageId>[^<]*<\/imageId>)?)(?<state><instanceState>.*?<\/instanceState>)/g,
  format: (state) =>
    `<instanceState><code>${INSTANCE_STATE_CODES[state] ?? 0}</code><name>${state}</name></instanceState>`,
};
const MEMBER: StatePattern = {
  delay: "instanceMs",
  pattern:
    /<InstanceId>(?<id>i-\w+)<\/InstanceId>(?<between>(?:(?!<InstanceId>).)*?)(?<state><LifecycleState>InService<\/LifecycleState>)/gs,
  format: () => "<LifecycleState>Pending</LifecycleState>",
};
const VOLUME: StatePattern = {
  delay: "volumeMs",
  pattern:
    /<volumeId>(?<id>vol-\w+)<\/volumeId>(?<between>(?:(?!<volumeId>|<status>).)*)(?<state><status>available<\/status>)/gs,
  format: (state) => `<status>${state}</status>`,
};
const SNAPSHOT: StatePattern = {
  delay: "snapshotMs",
  pattern:
    /<snapshotId>(?<id>snap-\w+)<\/snapshotId>(?<between>(?:(?!<snapshotId>|<status>).)*)(?<state><status>completed<\/status>(?<start><startTime>[^<]*<\/startTime>)<progress>100%<\/progress>)/gs,
  format: (state, progress) => `<status>${state}</status><progress>${Math.floor(progress * 100)}%</progress>`,
};
const DATABASE: StatePattern = {
  delay: "databaseMs",
  pattern:
    /<DBInstanceIdentifier>(?<id>[^<]+)<\/DBInstanceIdentifier>(?<between>(?:(?!<DBInstanceIdentifier>).)*?)(?<state><DBInstanceStatus>available<\/DBInstanceStatus>)/gs,
  format: (state) => `<DBInstanceStatus>${state}</DBInstanceStatus>`,
};
const CLUSTER: StatePattern = {
  delay: "databaseMs",
  pattern:
    /<DBClusterIdentifier>(?<id>[^<]+)<\/DBClusterIdentifier>(?<between>(?:(?!<DBClusterIdentifier>|<Status>).)*)(?<state><Status>(?:creating|available)<\/Status>)/gs,
  format: (state) => `<Status>${state}</Status>`,
};

const INSTANCE_STATE_CODES: Record<string, number> = { pending: 0, "shutting-down": 32, stopping: 64 };

/** Which answers show a state, and which actions begin a transition to which shown state. */
const ACTIONS: Record<string, { shown: StatePattern; begins?: string }> = {
  "autoscaling DescribeAutoScalingGroups": { shown: MEMBER },
  "autoscaling DescribeAutoScalingInstances": { shown: MEMBER },
  "ec2 CreateSnapshot": { shown: SNAPSHOT, begins: "pending" },
  "ec2 CreateVolume": { shown: VOLUME, begins: "creating" },
  "ec2 DescribeInstanceStatus": { shown: INSTANCE },
  "ec2 DescribeInstances": { shown: INSTANCE },
  "ec2 DescribeSnapshots": { shown: SNAPSHOT },
  "ec2 DescribeVolumes": { shown: VOLUME },
  "ec2 RunInstances": { shown: INSTANCE, begins: "pending" },
  "rds CreateDBCluster": { shown: CLUSTER, begins: "creating" },
  "rds CreateDBInstance": { shown: DATABASE, begins: "creating" },
  "rds CreateDBInstanceReadReplica": { shown: DATABASE, begins: "creating" },
  "rds DescribeDBClusters": { shown: CLUSTER },
  "rds DescribeDBInstances": { shown: DATABASE },
  "rds ModifyDBCluster": { shown: CLUSTER, begins: "resetting-master-credentials" },
  "rds ModifyDBInstance": { shown: DATABASE, begins: "resetting-master-credentials" },
};

/** Instances change state by these, named in the call itself under `list`. */
const INSTANCE_CHANGES: Record<string, { list: string; to: string }> = {
  "autoscaling AttachInstances": { list: "InstanceIds.member", to: "pending" },
  "ec2 StartInstances": { list: "InstanceId", to: "pending" },
  "ec2 StopInstances": { list: "InstanceId", to: "stopping" },
  "ec2 TerminateInstances": { list: "InstanceId", to: "shutting-down" },
};

/** Notes what an answered call set in motion, and shows what is in motion in the state it would have at AWS. */
export function showTransientStates(
  call: Call,
  answer: AwsResponse,
  place: string,
  transitions: StateTransitions,
): AwsResponse {
  if (answer.status >= 400) return answer;
  const action = `${call.service} ${call.action}`;
  const { list = "", to = "" } = INSTANCE_CHANGES[action] ?? {};
  for (const id of list ? listParam(call.params, list) : []) transitions.start(place, id, to);
  const entry = ACTIONS[action];
  if (!entry) return answer;
  const { shown, begins } = entry;
  const xml = answer.body.toString();
  for (const { groups } of begins ? xml.matchAll(shown.pattern) : []) {
    transitions.start(place, groups?.id ?? "", begins ?? "");
  }
  const rewritten = xml.replace(shown.pattern, (whole: string, ...rest: unknown[]) => {
    const { id = "", between = "", state = "", start = "" } = rest.at(-1) as Record<string, string>;
    if (shown === MEMBER && !transitions.has(place, id)) transitions.start(place, id, "pending");
    const moving = transitions.current(place, id, shown.delay);
    if (!moving) return whole;
    const opening = whole.slice(0, whole.length - between.length - state.length);
    return opening + between + shown.format(moving.state, moving.progress) + start;
  });
  return rewritten === xml ? answer : withBody(answer, rewritten);
}
