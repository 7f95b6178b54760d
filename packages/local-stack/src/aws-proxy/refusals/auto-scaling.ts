import type { Refusal } from "../answer.js";
import { all } from "../xml.js";
import type { Question, Rule } from "./question.js";

const createGroup: Rule = async (question) => {
  const name = question.call.params.AutoScalingGroupName ?? "";
  const found = await groups(question, name);
  return all(found, "AutoScalingGroupName").length > 0 ? taken("AutoScalingGroup", name) : undefined;
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

async function groups({ read }: Question, name: string) {
  const params = { Action: "DescribeAutoScalingGroups", "AutoScalingGroupNames.member.1": name };
  return all(await read("autoscaling", params), "AutoScalingGroups", "member");
}

function taken(kind: string, name: string): Refusal {
  return {
    code: "AlreadyExists",
    message: `${kind} by this name already exists - A group with the name ${name} already exists`,
  };
}

export const autoScaling: Record<string, Rule> = {
  CreateAutoScalingGroup: createGroup,
  CreateLaunchConfiguration: createConfiguration,
  DeleteAutoScalingGroup: deleteGroup,
};
