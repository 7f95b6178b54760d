import type { AwsError } from "../aws-response.js";
import { listParam } from "../call.js";
import { all, text } from "../xml.js";
import type { Validation, ValidationContext } from "./validation.js";

const createGroup: Validation = async (context) => {
  const name = context.call.params.AutoScalingGroupName ?? "";
  const found = await groups(context, name);
  return all(found, "AutoScalingGroupName").length > 0 ? alreadyExists("AutoScalingGroup", name) : checkBounds(context);
};

const deleteGroup: Validation = async (context) => {
  const { AutoScalingGroupName = "", ForceDelete } = context.call.params;
  if (ForceDelete === "true") return undefined;
  const members = all(await groups(context, AutoScalingGroupName), "Instances", "member");
  const message =
    "You cannot delete an AutoScalingGroup while there are instances or pending Spot instance request(s) still in the group.";
  return members.length > 0 ? { code: "ResourceInUse", message } : undefined;
};

const createConfiguration: Validation = async ({ call, read }) => {
  const name = call.params.LaunchConfigurationName ?? "";
  const params = { Action: "DescribeLaunchConfigurations", "LaunchConfigurationNames.member.1": name };
  const found = all(await read("autoscaling", params), "LaunchConfigurations", "member");
  return found.length > 0 ? alreadyExists("Launch Configuration", name) : undefined;
};

const checkBounds: Validation = async (context) => {
  const { params } = context.call;
  const [group] = await groups(context, params.AutoScalingGroupName ?? "");
  const size = (name: string) => Number(params[name] ?? text(group, name));
  const [minSize, maxSize] = [size("MinSize"), size("MaxSize")];
  if (minSize > maxSize)
    return validationError(`Max bound, ${maxSize}, must be greater than or equal to min bound, ${minSize}`);
  const { DesiredCapacity: desired } = params;
  const outside = desired !== undefined && (Number(desired) < minSize || Number(desired) > maxSize);
  const sizes = `the specified min size:${minSize} and max size:${maxSize}`;
  return outside ? validationError(`Desired capacity:${desired} must be between ${sizes}`) : undefined;
};

const updateGroup: Validation = async (context) => (await checkGroupExists(context)) ?? checkBounds(context);

const attach: Validation = async (context) => {
  const missing = await checkGroupExists(context);
  if (missing) return missing;
  const { call, read, transientState } = context;
  const ids = listParam(call.params, "InstanceIds.member");
  const found = await read("autoscaling", { Action: "DescribeAutoScalingInstances" });
  const members = all(found, "AutoScalingInstances", "member");
  const member = members.find((instance) => ids.includes(text(instance, "InstanceId")));
  if (member) {
    const [id, name] = [text(member, "InstanceId"), text(member, "AutoScalingGroupName")];
    return validationError(`Instance ${id} is already part of AutoScalingGroup: ${name}.`);
  }
  const inTransition = ids.find((id) => transientState(id, "instanceMs"));
  const stateMessage = `Instance ${inTransition} is not in correct state. Instance(s) must be in 'running' state.`;
  if (inTransition) return validationError(stateMessage);
  const [group] = await groups(context, call.params.AutoScalingGroupName ?? "");
  const [maxSize, desired] = [Number(text(group, "MaxSize")), Number(text(group, "DesiredCapacity"))];
  const message = `the desired capacity after attaching would exceed the group's max-size=${maxSize}`;
  return desired + ids.length > maxSize ? validationError(message) : undefined;
};

/** Only members of the group can be detached or protected, and none of them before InService. */
const checkMembers: Validation = async (context) => {
  const missing = await checkGroupExists(context);
  if (missing) return missing;
  const { call, transientState } = context;
  const [group] = await groups(context, call.params.AutoScalingGroupName ?? "");
  const members = all(group, "Instances", "member", "InstanceId");
  const ids = listParam(call.params, "InstanceIds.member");
  const nonMember = ids.find((id) => !members.includes(id));
  if (nonMember) return validationError(`The instance ${nonMember} is not part of Auto Scaling group.`);
  const inTransition = ids.find((id) => transientState(id, "instanceMs"));
  return inTransition ? validationError(`The instance ${inTransition} is not in InService or Standby.`) : undefined;
};

const detach: Validation = async (context) => {
  const error = await checkMembers(context);
  const { params } = context.call;
  if (error || params.ShouldDecrementDesiredCapacity !== "true") return error;
  const [group] = await groups(context, params.AutoScalingGroupName ?? "");
  const [minSize, desired] = [Number(text(group, "MinSize")), Number(text(group, "DesiredCapacity"))];
  const message = `min-size=${minSize} and desired-size=${desired}: detaching with a decrement would go below the minimum`;
  return desired - listParam(params, "InstanceIds.member").length < minSize ? validationError(message) : undefined;
};

async function checkGroupExists(context: ValidationContext): Promise<AwsError | undefined> {
  const name = context.call.params.AutoScalingGroupName ?? "";
  const found = await groups(context, name);
  return found.length === 0 ? validationError(`AutoScalingGroup name not found - ${name}`) : undefined;
}

async function groups({ read }: ValidationContext, name: string) {
  const params = { Action: "DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1": name };
  return all(await read("autoscaling", params), "AutoScalingGroups", "member");
}

function validationError(message: string): AwsError {
  return { code: "ValidationError", message };
}

function alreadyExists(kind: string, name: string): AwsError {
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
