import {
  CreateTagsCommand,
  DescribeInstanceAttributeCommand,
  DescribeInstancesCommand,
  RebootInstancesCommand,
  RunInstancesCommand,
  StartInstancesCommand,
  StopInstancesCommand,
  TerminateInstancesCommand,
} from "@aws-sdk/client-ec2";
import type { CloudKind, Intent } from "../../engine/cloud-kind.js";
import { codeOf, found, ignoring, notReady } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { describeInstance, describeInstances, isTerminated } from "./describe-instance.js";
import { type FirstBoot, userData } from "./first-boot.js";
import { type LaunchSettings, launchSettings } from "./launch-settings.js";
import { definedIds, requireId, tokenFilter } from "./tags.js";

export interface InstanceParams extends LaunchSettings {
  subnetId: string;
  instanceProfile?: string;
  firstBoot?: FirstBoot;
}

/** An instance with its root volume and its network interface; its termination deletes both. */
export const instance: CloudKind<Aws, InstanceParams> = {
  kind: "instance",
  label: "instance",
  strategy: "token",
  async find({ ec2 }, intent) {
    const { Filters } = tokenFilter(intent);
    const notTerminated = { Name: "instance-state-name", Values: ["pending", "running", "stopping", "stopped"] };
    const { Reservations } = await ec2.send(new DescribeInstancesCommand({ Filters: [...Filters, notTerminated] }));
    return definedIds(Reservations?.flatMap(({ Instances }) => Instances?.map(({ InstanceId }) => InstanceId)));
  },
  create: (aws, intent) => launch(aws, intent, undefined),
  async obstacles({ ec2 }, id) {
    const query = new DescribeInstanceAttributeCommand({ InstanceId: id, Attribute: "disableApiTermination" });
    const isProtected = (await found(ec2.send(query), /^InvalidInstanceID\.NotFound$/))?.DisableApiTermination?.Value;
    return isProtected ? [{ fact: "has termination protection", ids: [] }] : [];
  },
  async remove(aws, id) {
    const described = await describeInstance(id)(aws);
    if (described?.state === "terminated") return;
    if (described?.state === "shutting-down") throw notReady("InstanceShuttingDown");
    const terminate = new TerminateInstancesCommand({ InstanceIds: [id] });
    await ignoring(aws.ec2.send(terminate), /^InvalidInstanceID\.NotFound$/);
    const then = await describeInstance(id)(aws);
    if (then && then.state !== "terminated") throw notReady("InstanceShuttingDown");
  },
  async describeStates(aws, ids) {
    const living = [...(await describeInstances(aws, ids))].filter(([, state]) => !isTerminated(state));
    return new Map(living.map(([id, { state }]) => [id, state]));
  },
};

/** True for an error by which AWS refuses an instance type in one zone, whether for now or for good. */
export function isWithoutRoom(error: unknown): boolean {
  return /^(Unsupported|Insufficient(Instance|Host)Capacity)$/.test(codeOf(error));
}

/** The same kind, whose instances report their first boot with this token. The ledger does not keep the token. */
export function instanceReporting(token: string): CloudKind<Aws, InstanceParams> {
  return { ...instance, create: (aws, intent) => launch(aws, intent, token) };
}

async function launch({ ec2 }: Aws, intent: Intent<InstanceParams>, token: string | undefined): Promise<string> {
  const { params } = intent;
  const run = new RunInstancesCommand({
    MinCount: 1,
    MaxCount: 1,
    ClientToken: intent.token,
    InstanceInitiatedShutdownBehavior: "stop",
    ...launchSettings(params, intent.tags, params.subnetId),
    ...(params.instanceProfile && { IamInstanceProfile: { Name: params.instanceProfile } }),
    ...(params.firstBoot && { UserData: userData(params.firstBoot, token) }),
  });
  return requireId((await ec2.send(run)).Instances?.[0]?.InstanceId);
}

/** Starts a stopped instance; `describeInstance` shows when it runs. May be repeated. */
export function startInstance(id: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => void (await ec2.send(new StartInstancesCommand({ InstanceIds: [id] })));
}

/** Stops a running instance; `describeInstance` shows when it has stopped. May be repeated. */
export function stopInstance(id: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => void (await ec2.send(new StopInstancesCommand({ InstanceIds: [id] })));
}

/** Reboots an instance; AWS does not show the reboot. */
export function rebootInstance(id: string): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => void (await ec2.send(new RebootInstancesCommand({ InstanceIds: [id] })));
}

/** Sets tags of the instance, and replaces those of the same names. */
export function createTags(id: string, tags: Record<string, string>): (aws: Aws) => Promise<void> {
  return async ({ ec2 }) => {
    const Tags = Object.entries(tags).map(([Key, Value]) => ({ Key, Value }));
    await ec2.send(new CreateTagsCommand({ Resources: [id], Tags }));
  };
}
