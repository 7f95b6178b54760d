import { type Answer, withBody } from "./answer.js";
import { type Call, numbered } from "./call.js";
import type { SlownessSettings } from "./slowness.js";
import type { Transitions } from "./transitions.js";

/** How one kind of thing shows its state in moto 5.2's answers. */
interface Shown {
  what: keyof SlownessSettings;
  /** Groups `id`, `between` and `state`; nothing else may lie between the id and the state of one thing. */
  pattern: RegExp;
  write: (state: string, progress: number) => string;
}

const INSTANCE: Shown = {
  what: "instanceMs",
  pattern:
    /<instanceId>(?<id>i-\w+)<\/instanceId>(?<between>(?:<imageId>[^<]*<\/imageId>)?)(?<state><instanceState>.*?<\/instanceState>)/g,
  write: (state) => `<instanceState><code>${CODES[state] ?? 0}</code><name>${state}</name></instanceState>`,
};
const MEMBER: Shown = {
  what: "instanceMs",
  pattern:
    /<InstanceId>(?<id>i-\w+)<\/InstanceId>(?<between>(?:(?!<InstanceId>).)*?)(?<state><LifecycleState>InService<\/LifecycleState>)/gs,
  write: () => "<LifecycleState>Pending</LifecycleState>",
};
const VOLUME: Shown = {
  what: "volumeMs",
  pattern:
    /<volumeId>(?<id>vol-\w+)<\/volumeId>(?<between>(?:(?!<volumeId>|<status>).)*)(?<state><status>available<\/status>)/gs,
  write: (state) => `<status>${state}</status>`,
};
const SNAPSHOT: Shown = {
  what: "snapshotMs",
  pattern:
    /<snapshotId>(?<id>snap-\w+)<\/snapshotId>(?<between>(?:(?!<snapshotId>|<status>).)*)(?<state><status>completed<\/status>(?<start><startTime>[^<]*<\/startTime>)<progress>100%<\/progress>)/gs,
  write: (state, progress) => `<status>${state}</status><progress>${Math.floor(progress * 100)}%</progress>`,
};
const DATABASE: Shown = {
  what: "databaseMs",
  pattern:
    /<DBInstanceIdentifier>(?<id>[^<]+)<\/DBInstanceIdentifier>(?<between>(?:(?!<DBInstanceIdentifier>).)*?)(?<state><DBInstanceStatus>available<\/DBInstanceStatus>)/gs,
  write: (state) => `<DBInstanceStatus>${state}</DBInstanceStatus>`,
};
const CLUSTER: Shown = {
  what: "databaseMs",
  pattern:
    /<DBClusterIdentifier>(?<id>[^<]+)<\/DBClusterIdentifier>(?<between>(?:(?!<DBClusterIdentifier>|<Status>).)*)(?<state><Status>(?:creating|available)<\/Status>)/gs,
  write: (state) => `<Status>${state}</Status>`,
};

const CODES: Record<string, number> = { pending: 0, "shutting-down": 32, stopping: 64 };

/** Which answers show a state, and which actions begin a transition to which shown state. */
const ACTIONS: Record<string, { shown: Shown; begins?: string }> = {
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
const CHANGES: Record<string, { list: string; to: string }> = {
  "autoscaling AttachInstances": { list: "InstanceIds.member", to: "pending" },
  "ec2 StartInstances": { list: "InstanceId", to: "pending" },
  "ec2 StopInstances": { list: "InstanceId", to: "stopping" },
  "ec2 TerminateInstances": { list: "InstanceId", to: "shutting-down" },
};

/** Notes what an answered call set in motion, and shows what is in motion in the state it would have at AWS. */
export function showStates(call: Call, answer: Answer, place: string, transitions: Transitions): Answer {
  if (answer.status >= 400) return answer;
  const action = `${call.service} ${call.action}`;
  const { list = "", to = "" } = CHANGES[action] ?? {};
  for (const id of list ? numbered(call.params, list) : []) transitions.begin(place, id, to);
  const entry = ACTIONS[action];
  if (!entry) return answer;
  const { shown, begins } = entry;
  const xml = answer.body.toString();
  for (const { groups } of begins ? xml.matchAll(shown.pattern) : []) {
    transitions.begin(place, groups?.id ?? "", begins ?? "");
  }
  const rewritten = xml.replace(shown.pattern, (whole: string, ...rest: unknown[]) => {
    const { id = "", between = "", state = "", start = "" } = rest.at(-1) as Record<string, string>;
    if (shown === MEMBER && !transitions.isKnown(place, id)) transitions.begin(place, id, "pending");
    const moving = transitions.of(place, id, shown.what);
    if (!moving) return whole;
    const opening = whole.slice(0, whole.length - between.length - state.length);
    return opening + between + shown.write(moving.shown, moving.progress) + start;
  });
  return rewritten === xml ? answer : withBody(answer, rewritten);
}
