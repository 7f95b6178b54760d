import type { AwsError } from "../aws-response.js";
import { listParam } from "../call.js";
import { all, text } from "../xml.js";
import type { Validation, ValidationContext } from "./validation.js";

const createGroup: Validation = async (question) => {
  const name = question.call.params.AutoScalingGroupName ?? "";
  const found = await groups(question, name);
  return all(found, "AutoScalingGroupName").length > 0 ? taken("AutoScalingGroup", name) : checkBounds(question);
};

const deleteGroup: Validation = async (question) => {
  const { AutoScalingGroupName = "", ForceDelete } = question.call.params;
  if (ForceDelete === "true") return undefined;
  const members = all(await groups(question, AutoScalingGroupName), "Instances", "member");
  const message =
    "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.";
  return members.length > 0 ? { code: "ResourceInUse", message } : undefined;
};

const createConfiguration: Validation = async ({ call, read }) => {
  const name = call.params.LaunchConfigurationName ?? "";
  const found = await read("autoscaling", {
    Action: "DescribeLaunchConfigurations",
    "LaunchConfigurationNames.member.1": name,
  });
  return all(found, "LaunchConfigurations", "member").length > 0 ? taken("Launch Configuration", name) : undefined;
};

const checkBounds: Validation = async (question) => {
  const { params } = question.call;
  const [group] = await groups(question, params.AutoScalingGroupName ?? "");
  const size = (name: string) => Number(params[name] ?? text(group, name));
  const [least, most] = [size("MinSize"), size("MaxSize")];
  if (least > most) return validationError(`Max bound, ${most}, must be greater than or equal to min bound, ${least}`);
  const { DesiredCapacity: wanted } = params;
  const outside = wanted !== undefined && (Number(wanted) < least || Number(wanted) > most);
  const sizes = `the specified min size:${least} and max size:${most}`;
  return outside ? validationError(`Desired capacity:${wanted} must be between ${sizes}`) : undefined;
};

const updateGroup: Validation = async (question) => (await checkGroupExists(question)) ?? checkBounds(question);

const attach: Validation = async (question) => {
  const missing = await checkGroupExists(question);
  if (missing) return missing;
  const { call, read, transientState } = question;
  const ids = listParam(call.params, "InstanceIds.member");
  const held = all(
    await read("autoscaling", { Action: "DescribeAutoScalingInstances" }),
    "AutoScalingInstances",
    "member",
  );
  const alreadyExists = held.find((one) => ids.includes(text(one, "InstanceId")));
  if (alreadyExists) {
    const [id, name] = [text(alreadyExists, "InstanceId"), text(alreadyExists, "AutoScalingGroupName")];
    return validationError(`Instance ${id} is already part of AutoScalingGroup: ${name}.`);
  }
  const early = ids.find((id) => transientState(id, "instanceMs"));
  if (early)
    return validationError(`Instance ${early} is not in correct state. Instance(s) must be in 'running' state.`);
  const [group] = await groups(question, call.params.AutoScalingGroupName ?? "");
  const [most, desired] = [Number(text(group, "MaxSize")), Number(text(group, "DesiredCapacity"))];
  const message = `the desired capacity after attaching would exceed the group's max-size=${most}`;
  return desired + ids.length > most ? validationError(message) : undefined;
};

/** Detaching and protecting: of members alone, and not of those that are still on their way in. */
const checkMembers: Validation = async (question) => {
  const missing = await checkGroupExists(question);
  if (missing) return missing;
  const { call, transientState } = question;
  const [group] = await groups(question, call.params.AutoScalingGroupName ?? "");
  const members = all(group, "Instances", "member", "InstanceId");
  const ids = listParam(call.params, "InstanceIds.member");
  const stranger = ids.find((id) => !members.includes(id));
  if (stranger) return validationError(`The instance ${stranger} is not part of Auto Scaling group.`);
  const early = ids.find((id) => transientState(id, "instanceMs"));
  return early ? validationError(`The instance ${early} is not in InService or Standby.`) : undefined;
};

const detach: Validation = async (question) => {
  const refused = await checkMembers(question);
  const { params } = question.call;
  if (refused || params.ShouldDecrementDesiredCapacity !== "true") return refused;
  const [group] = await groups(question, params.AutoScalingGroupName ?? "");
  const [least, desired] = [Number(text(group, "MinSize")), Number(text(group, "DesiredCapacity"))];
  const message = `min-size=${least} and desired-size=${desired}: detaching with a decrement would go below the minimum`;
  return desired - listParam(params, "InstanceIds.member").length < least ? validationError(message) : undefined;
};

async function checkGroupExists(question: ValidationContext): Promise<AwsError | undefined> {
  const name = question.call.params.AutoScalingGroupName ?? "";
  const found = await groups(question, name);
  return found.length === 0 ? validationError(`AutoScalingGroup name not found - ${name}`) : undefined;
}

async function groups({ read }: ValidationContext, name: string) {
  const params = { Action: "DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1": name };
  return all(await read("autoscaling", params), "AutoScalingGroups", "member");
}

function validationError(message: string): AwsError {
  return { code: "ValidationError", message };
}

function taken(kind: string, name: string): AwsError {
  return {
    code: "AlreadyExists",
    message: `${kind} by this name already exists - A group with the name ${name} already exists`,
  };
}

export const autoScaling: Record<string, Validation> = {
  AttachInstances: attach,
  CreateAutoScalingGroup: createGroup,
  CreateLaunchConfiguration: createConfiguration,
  DeleteAutoScalingGroup: deleteGroup,
  DetachInstances: detach,
  SetInstanceProtection: checkMembers,
  UpdateAutoScalingGroup: updateGroup,
};
