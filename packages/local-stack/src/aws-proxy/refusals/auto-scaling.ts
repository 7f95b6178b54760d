import type { Refusal } from "../answer.js";
import { numbered } from "../call.js";
import { all, text } from "../xml.js";
import type { Question, Rule } from "./question.js";

const createGroup: Rule = async (question) => {
  const name = question.call.params.AutoScalingGroupName ?? "";
  const found = await groups(question, name);
  return all(found, "AutoScalingGroupName").length > 0 ? taken("AutoScalingGroup", name) : inBounds(question);
};

const deleteGroup: Rule = async (question) => {
  const { AutoScalingGroupName = "", ForceDelete } = question.call.params;
  if (ForceDelete === "true") return undefined;
  const members = all(await groups(question, AutoScalingGroupName), "Instances", "member");
  const message =
    "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.";
  return members.length > 0 ? { code: "ResourceInUse", message } : undefined;
};

const createConfiguration: Rule = async ({ call, read }) => {
  const name = call.params.LaunchConfigurationName ?? "";
  const found = await read("autoscaling", {
    Action: "DescribeLaunchConfigurations",
    "LaunchConfigurationNames.member.1": name,
  });
  return all(found, "LaunchConfigurations", "member").length > 0 ? taken("Launch Configuration", name) : undefined;
};

const inBounds: Rule = async (question) => {
  const { params } = question.call;
  const [group] = await groups(question, params.AutoScalingGroupName ?? "");
  const size = (name: string) => Number(params[name] ?? text(group, name));
  const [least, most] = [size("MinSize"), size("MaxSize")];
  if (least > most) return wrong(`Max bound, ${most}, must be greater than or equal to min bound, ${least}`);
  const { DesiredCapacity: wanted } = params;
  const outside = wanted !== undefined && (Number(wanted) < least || Number(wanted) > most);
  const sizes = `the specified min size:${least} and max size:${most}`;
  return outside ? wrong(`Desired capacity:${wanted} must be between ${sizes}`) : undefined;
};

const updateGroup: Rule = async (question) => (await isMissing(question)) ?? inBounds(question);

const attach: Rule = async (question) => {
  const missing = await isMissing(question);
  if (missing) return missing;
  const { call, read, moving } = question;
  const ids = numbered(call.params, "InstanceIds.member");
  const held = all(
    await read("autoscaling", { Action: "DescribeAutoScalingInstances" }),
    "AutoScalingInstances",
    "member",
  );
  const taken = held.find((one) => ids.includes(text(one, "InstanceId")));
  if (taken) {
    const [id, name] = [text(taken, "InstanceId"), text(taken, "AutoScalingGroupName")];
    return wrong(`Instance ${id} is already part of AutoScalingGroup: ${name}.`);
  }
  const early = ids.find((id) => moving(id, "instanceMs"));
  if (early) return wrong(`Instance ${early} is not in correct state. Instance(s) must be in 'running' state.`);
  const [group] = await groups(question, call.params.AutoScalingGroupName ?? "");
  const [most, desired] = [Number(text(group, "MaxSize")), Number(text(group, "DesiredCapacity"))];
  const message = `the desired capacity after attaching would exceed the group's max-size=${most}`;
  return desired + ids.length > most ? wrong(message) : undefined;
};

/** Detaching and protecting: of members alone, and not of those that are still on their way in. */
const ofMembers: Rule = async (question) => {
  const missing = await isMissing(question);
  if (missing) return missing;
  const { call, moving } = question;
  const [group] = await groups(question, call.params.AutoScalingGroupName ?? "");
  const members = all(group, "Instances", "member", "InstanceId");
  const ids = numbered(call.params, "InstanceIds.member");
  const stranger = ids.find((id) => !members.includes(id));
  if (stranger) return wrong(`The instance ${stranger} is not part of Auto Scaling group.`);
  const early = ids.find((id) => moving(id, "instanceMs"));
  return early ? wrong(`The instance ${early} is not in InService or Standby.`) : undefined;
};

const detach: Rule = async (question) => {
  const refused = await ofMembers(question);
  const { params } = question.call;
  if (refused || params.ShouldDecrementDesiredCapacity !== "true") return refused;
  const [group] = await groups(question, params.AutoScalingGroupName ?? "");
  const [least, desired] = [Number(text(group, "MinSize")), Number(text(group, "DesiredCapacity"))];
  const message = `min-size=${least} and desired-size=${desired}: detaching with a decrement would go below the minimum`;
  return desired - numbered(params, "InstanceIds.member").length < least ? wrong(message) : undefined;
};

async function isMissing(question: Question): Promise<Refusal | undefined> {
  const name = question.call.params.AutoScalingGroupName ?? "";
  const found = await groups(question, name);
  return found.length === 0 ? wrong(`AutoScalingGroup name not found - ${name}`) : undefined;
}

async function groups({ read }: Question, name: string) {
  const params = { Action: "DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1": name };
  return all(await read("autoscaling", params), "AutoScalingGroups", "member");
}

function wrong(message: string): Refusal {
  return { code: "ValidationError", message };
}

function taken(kind: string, name: string): Refusal {
  return {
    code: "AlreadyExists",
    message: `${kind} by this name already exists - A group with the name ${name} already exists`,
  };
}

export const autoScaling: Record<string, Rule> = {
  AttachInstances: attach,
  CreateAutoScalingGroup: createGroup,
  CreateLaunchConfiguration: createConfiguration,
  DeleteAutoScalingGroup: deleteGroup,
  DetachInstances: detach,
  SetInstanceProtection: ofMembers,
  UpdateAutoScalingGroup: updateGroup,
};
