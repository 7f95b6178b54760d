import { type AwsResponse, withBody } from "./aws-response.js";
import { type Call, listParam } from "./call.js";
import type { Delay, StateTransitions } from "./state-transitions.js";

/** The position of an object's state in responses of moto 5.2. */
interface StatePattern {
  delay: Delay;
  /** Matches from an object's id to its state, in the groups `id` and `state`; the group `state` ends the match. */
  pattern: RegExp;
  format: (state: string, progress: number) => string;
}

const INSTANCE: StatePattern = {
  delay: "instanceMs",
  pattern:
    /<instanceId>(?<id>i-\w+)<\/instanceId>(?:<imageId>[^<]*<\/imageId>)?(?<state><instanceState>.*?<\/instanceState>)/g,
  format: (state) => `<instanceState><code>${STATE_CODES[state] ?? 0}</code><name>${state}</name></instanceState>`,
};
const MEMBER: StatePattern = {
  delay: "instanceMs",
  pattern:
    /<InstanceId>(?<id>i-\w+)<\/InstanceId>(?:(?!<InstanceId>).)*?(?<state><LifecycleState>InService<\/LifecycleState>)/gs,
  format: () => "<LifecycleState>Pending</LifecycleState>",
};
const VOLUME: StatePattern = {
  delay: "volumeMs",
  pattern: /<volumeId>(?<id>vol-\w+)<\/volumeId>(?:(?!<volumeId>|<status>).)*(?<state><status>available<\/status>)/gs,
  format: (state) => `<status>${state}</status>`,
};
const NAT_GATEWAY: StatePattern = {
  delay: "natGatewayMs",
  pattern:
    /<natGatewayId>(?<id>nat-\w+)<\/natGatewayId>(?:(?!<natGatewayId>).)*?(?<state><state>(?:available|deleted|failed)<\/state>)/gs,
  format: (state) => `<state>${state}</state>`,
};
const SNAPSHOT: StatePattern = {
  delay: "snapshotMs",
  pattern:
    /<snapshotId>(?<id>snap-\w+)<\/snapshotId>(?:(?!<snapshotId>|<status>).)*(?<state><status>completed<\/status>(?<start><startTime>[^<]*<\/startTime>)<progress>100%<\/progress>)/gs,
  format: (state, progress) => `<status>${state}</status><progress>${Math.floor(progress * 100)}%</progress>`,
};
/** A registration shows no state: there the match ends with the id. */
const IMAGE: StatePattern = {
  delay: "imageMs",
  pattern:
    /<imageId>(?<id>ami-\w+)<\/imageId>(?:(?:(?!<imageId>|<imageState>).)*(?<state><imageState>available<\/imageState>))?/gs,
  format: (state) => `<imageState>${state}</imageState>`,
};
const DATABASE: StatePattern = {
  delay: "databaseMs",
  pattern:
    /<DBInstanceIdentifier>(?<id>[^<]+)<\/DBInstanceIdentifier>(?:(?!<DBInstanceIdentifier>).)*?(?<state><DBInstanceStatus>available<\/DBInstanceStatus>)/gs,
  format: (state) => `<DBInstanceStatus>${state}</DBInstanceStatus>`,
};
const CLUSTER: StatePattern = {
  delay: "databaseMs",
  pattern:
    /<DBClusterIdentifier>(?<id>[^<]+)<\/DBClusterIdentifier>(?:(?!<DBClusterIdentifier>|<Status>).)*(?<state><Status>(?:creating|available)<\/Status>)/gs,
  format: (state) => `<Status>${state}</Status>`,
};

/** Values that the emulator's launcher changes over time, with states of its own; a password is none of them. */
const HAS_PENDING_VALUES =
  /<ModifyDBInstanceResult>.*<PendingModifiedValues>(?!<MasterUserPassword>[^<]*<\/MasterUserPassword><\/)<(?!\/)/s;

const STATE_CODES: Record<string, number> = { pending: 0, "shutting-down": 32, stopping: 64 };

/** The actions whose responses contain states; `initial` is the state shown after creation or modification. */
const ACTIONS: Record<string, { object: StatePattern; initial?: string }> = {
  "autoscaling DescribeAutoScalingGroups": { object: MEMBER },
  "autoscaling DescribeAutoScalingInstances": { object: MEMBER },
  "ec2 CreateNatGateway": { object: NAT_GATEWAY, initial: "pending" },
  "ec2 CreateSnapshot": { object: SNAPSHOT, initial: "pending" },
  "ec2 CreateVolume": { object: VOLUME, initial: "creating" },
  "ec2 DescribeImages": { object: IMAGE },
  "ec2 DescribeInstanceStatus": { object: INSTANCE },
  "ec2 DescribeInstances": { object: INSTANCE },
  "ec2 DescribeNatGateways": { object: NAT_GATEWAY },
  "ec2 DescribeSnapshots": { object: SNAPSHOT },
  "ec2 DescribeVolumes": { object: VOLUME },
  "ec2 RegisterImage": { object: IMAGE, initial: "pending" },
  "ec2 RunInstances": { object: INSTANCE, initial: "pending" },
  "rds CreateDBCluster": { object: CLUSTER, initial: "creating" },
  "rds CreateDBInstance": { object: DATABASE, initial: "creating" },
  "rds CreateDBInstanceReadReplica": { object: DATABASE, initial: "creating" },
  "rds DescribeDBClusters": { object: CLUSTER },
  "rds DescribeDBInstances": { object: DATABASE },
  "rds ModifyDBCluster": { object: CLUSTER, initial: "resetting-master-credentials" },
  "rds ModifyDBInstance": { object: DATABASE, initial: "resetting-master-credentials" },
  "rds RestoreDBInstanceFromDBSnapshot": { object: DATABASE, initial: "creating" },
  "rds RestoreDBInstanceToPointInTime": { object: DATABASE, initial: "creating" },
};

/** The actions that change the state of the objects in their parameter `list`, which may name a single one. */
const CHANGES: Record<string, { list: string; to: string }> = {
  "autoscaling AttachInstances": { list: "InstanceIds.member", to: "pending" },
  "ec2 DeleteNatGateway": { list: "NatGatewayId", to: "deleting" },
  "ec2 StartInstances": { list: "InstanceId", to: "pending" },
  "ec2 StopInstances": { list: "InstanceId", to: "stopping" },
  "ec2 TerminateInstances": { list: "InstanceId", to: "shutting-down" },
};

/** Starts the transitions of a successful call, and replaces the states of objects in transition by those AWS would show. */
export function showTransientStates(
  call: Call,
  response: AwsResponse,
  regionKey: string,
  transitions: StateTransitions,
): AwsResponse {
  if (response.status >= 400) return response;
  const action = `${call.service} ${call.action}`;
  const { list = "", to = "" } = CHANGES[action] ?? {};
  const { [list]: only } = call.params;
  const changed = only ? [only] : listParam(call.params, list);
  for (const id of list ? changed : []) transitions.start(regionKey, id, to);
  const entry = ACTIONS[action];
  if (!entry) return response;
  const xml = response.body.toString();
  const { object } = entry;
  const initial = HAS_PENDING_VALUES.test(xml) ? undefined : entry.initial;
  for (const { groups } of initial ? xml.matchAll(object.pattern) : []) {
    transitions.start(regionKey, groups?.id ?? "", initial ?? "");
  }
  const rewritten = xml.replace(object.pattern, (match: string, ...rest: unknown[]) => {
    const { id = "", state = "", start = "" } = rest.at(-1) as Record<string, string>;
    if (object === MEMBER && !transitions.has(regionKey, id)) transitions.start(regionKey, id, "pending");
    const transition = transitions.current(regionKey, id, object.delay);
    if (!transition) return match;
    const beforeState = match.slice(0, match.length - state.length);
    return beforeState + object.format(transition.state, transition.progress) + start;
  });
  return rewritten === xml ? response : withBody(response, rewritten);
}
