import {
  AuthorizeSecurityGroupIngressCommand,
  DescribeSecurityGroupRulesCommand,
  type IpPermission,
  ModifySecurityGroupRulesCommand,
  RevokeSecurityGroupIngressCommand,
  type SecurityGroupRuleRequest,
} from "@aws-sdk/client-ec2";
import type { CloudKind } from "../../engine/cloud-kind.js";
import { found, ignoring } from "../aws-errors.js";
import type { Aws } from "../clients.js";
import { createdOrFound, definedIds, requireId, tagSpecification, tokenFilter } from "./tags.js";

export interface SecurityGroupRuleParams {
  groupId: string;
  /** The source of the traffic: a block of IPv4 or IPv6 addresses, or the members of a security group. */
  source: { cidr: string } | { groupId: string };
  protocol: "tcp" | "udp";
  fromPort: number;
  toPort: number;
}

/** An ingress rule of a security group. A group holds no two equal rules. */
export const securityGroupRule: CloudKind<Aws, SecurityGroupRuleParams> = {
  kind: "security_group_rule",
  label: "security group rule",
  strategy: "name",
  async find({ ec2 }, intent) {
    const { SecurityGroupRules } = await ec2.send(new DescribeSecurityGroupRulesCommand(tokenFilter(intent)));
    return definedIds(SecurityGroupRules?.map(({ SecurityGroupRuleId }) => SecurityGroupRuleId));
  },
  create(aws, intent) {
    const create = new AuthorizeSecurityGroupIngressCommand({
      GroupId: intent.params.groupId,
      IpPermissions: [permission(intent.params)],
      TagSpecifications: tagSpecification("security-group-rule", intent),
    });
    return createdOrFound(
      aws.noRetry.ec2.send(create).then((response) => requireId(response.SecurityGroupRules?.[0]?.SecurityGroupRuleId)),
      /^InvalidPermission\.Duplicate$/,
      () => securityGroupRule.find(aws, intent),
    );
  },
  obstacles: "none",
  async remove({ ec2 }, id, { groupId }) {
    const revoke = new RevokeSecurityGroupIngressCommand({ GroupId: groupId, SecurityGroupRuleIds: [id] });
    await ignoring(
      ec2.send(revoke),
      /^(InvalidPermission|InvalidSecurityGroupRuleId|InvalidGroup|InvalidGroupId)\.NotFound$/,
    );
  },
};

function permission({ source, protocol, fromPort, toPort }: SecurityGroupRuleParams): IpPermission {
  const ports = { IpProtocol: protocol, FromPort: fromPort, ToPort: toPort };
  if ("groupId" in source) return { ...ports, UserIdGroupPairs: [{ GroupId: source.groupId }] };
  return source.cidr.includes(":")
    ? { ...ports, Ipv6Ranges: [{ CidrIpv6: source.cidr }] }
    : { ...ports, IpRanges: [{ CidrIp: source.cidr }] };
}

/** Returns those of the rules' ids that exist in AWS. */
export function existingRules(ids: string[]): (aws: Aws) => Promise<Set<string | undefined>> {
  return async ({ ec2 }) => {
    const Filters = [{ Name: "security-group-rule-id", Values: ids }];
    const { SecurityGroupRules } = await ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
    return new Set(SecurityGroupRules?.map(({ SecurityGroupRuleId }) => SecurityGroupRuleId));
  };
}

/** Whether AWS shows a rule with the source, the protocol and the ports. */
export function ruleHas(id: string, wanted: SecurityGroupRuleParams): (aws: Aws) => Promise<boolean> {
  return async ({ ec2 }) => {
    const Filters = [{ Name: "security-group-rule-id", Values: [id] }];
    const { SecurityGroupRules } = await ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
    const rule = SecurityGroupRules?.[0];
    const { ReferencedGroupId: group, ...values } = ruleRequest(wanted);
    const names = ["IpProtocol", "FromPort", "ToPort", "CidrIpv4", "CidrIpv6"] as const;
    return rule?.ReferencedGroupInfo?.GroupId === group && names.every((name) => rule?.[name] === values[name]);
  };
}

/**
 * Gives a rule another source of the same kind, another protocol or other ports, in one step. May be repeated.
 *
 * @returns false if its group has another rule with these values
 */
export function modifyRule(id: string, wanted: SecurityGroupRuleParams): (aws: Aws) => Promise<boolean> {
  const SecurityGroupRules = [{ SecurityGroupRuleId: id, SecurityGroupRule: ruleRequest(wanted) }];
  const modify = new ModifySecurityGroupRulesCommand({ GroupId: wanted.groupId, SecurityGroupRules });
  return async ({ ec2 }) => (await found(ec2.send(modify), /^InvalidPermission\.Duplicate$/)) !== undefined;
}

function ruleRequest({ source, protocol, fromPort, toPort }: SecurityGroupRuleParams): SecurityGroupRuleRequest {
  const ports = { IpProtocol: protocol, FromPort: fromPort, ToPort: toPort };
  if ("groupId" in source) return { ...ports, ReferencedGroupId: source.groupId };
  return source.cidr.includes(":") ? { ...ports, CidrIpv6: source.cidr } : { ...ports, CidrIpv4: source.cidr };
}
