import {
  AuthorizeSecurityGroupIngressCommand,
  CreateSecurityGroupCommand,
  DescribeSecurityGroupRulesCommand,
  type IpPermission,
  ModifySecurityGroupRulesCommand,
  type SecurityGroupRuleRequest,
} from "@aws-sdk/client-ec2";
import { accountOfEachTest } from "../testing.js";

const account = accountOfEachTest();
const ssh = { IpProtocol: "tcp", FromPort: 22, ToPort: 22 };

async function newGroup(name: string) {
  const create = new CreateSecurityGroupCommand({ GroupName: name, Description: name });
  return (await account.ec2.send(create)).GroupId ?? "";
}

async function allow(GroupId: string, permission: IpPermission) {
  const IpPermissions = [{ ...ssh, ...permission }];
  const { SecurityGroupRules } = await account.ec2.send(
    new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }),
  );
  return SecurityGroupRules?.[0]?.SecurityGroupRuleId ?? "";
}

const modify = (GroupId: string, changes: [id: string, rule: SecurityGroupRuleRequest][]) => {
  const SecurityGroupRules = changes.map(([SecurityGroupRuleId, rule]) => ({
    SecurityGroupRuleId,
    SecurityGroupRule: { ...ssh, ...rule },
  }));
  return account.ec2.send(new ModifySecurityGroupRulesCommand({ GroupId, SecurityGroupRules }));
};

async function shown(id: string) {
  const { SecurityGroupRules } = await account.ec2.send(
    new DescribeSecurityGroupRulesCommand({ SecurityGroupRuleIds: [id] }),
  );
  return SecurityGroupRules?.[0];
}

it("changes the source, the protocol and the ports of a rule, each kind of source by its own name", async () => {
  const [group, one, other] = [await newGroup("changed"), await newGroup("one"), await newGroup("other")];
  const ipv4 = await allow(group, { IpRanges: [{ CidrIp: "192.0.2.0/24" }] });
  const ipv6 = await allow(group, { Ipv6Ranges: [{ CidrIpv6: "2001:db8::/32" }] });
  const members = await allow(group, { UserIdGroupPairs: [{ GroupId: one }] });
  await modify(group, [
    [ipv4, { CidrIpv4: "192.0.2.7/32", IpProtocol: "udp", FromPort: 53, ToPort: 54 }],
    [ipv6, { CidrIpv6: "2001:db8::/64" }],
    [members, { ReferencedGroupId: other }],
  ]);
  expect(await shown(ipv4)).toMatchObject({ CidrIpv4: "192.0.2.7/32", IpProtocol: "udp", FromPort: 53, ToPort: 54 });
  expect(await shown(ipv6)).toMatchObject({ CidrIpv6: "2001:db8::/64", FromPort: 22 });
  expect(await shown(members)).toMatchObject({ ReferencedGroupInfo: { GroupId: other } });
});

it("refuses a source of another kind, a rule that the group has, and unknown rules, and changes none", async () => {
  const [group, other] = [await newGroup("refusing"), await newGroup("source")];
  const first = await allow(group, { IpRanges: [{ CidrIp: "192.0.2.0/24" }] });
  const second = await allow(group, { IpRanges: [{ CidrIp: "198.51.100.0/24" }] });
  const elsewhere = await allow(other, { IpRanges: [{ CidrIp: "192.0.2.0/24" }] });
  const valid: [string, SecurityGroupRuleRequest] = [first, { CidrIpv4: "192.0.2.7/32" }];
  const refusals: [code: string, id: string, rule: SecurityGroupRuleRequest][] = [
    ["InvalidParameterValue", second, { CidrIpv6: "2001:db8::/32" }],
    ["InvalidParameterValue", second, { ReferencedGroupId: other }],
    ["InvalidPermission.Duplicate", second, { CidrIpv4: "192.0.2.7/32" }],
    ["InvalidSecurityGroupRuleId.NotFound", elsewhere, { CidrIpv4: "203.0.113.0/24" }],
  ];
  for (const [Code, id, rule] of refusals)
    await expect(modify(group, [valid, [id, rule]])).rejects.toMatchObject({ Code });
  expect(await shown(first)).toMatchObject({ CidrIpv4: "192.0.2.0/24" });
  expect(await shown(second)).toMatchObject({ CidrIpv4: "198.51.100.0/24" });
  await modify(group, [valid, [second, { CidrIpv4: "192.0.2.0/24" }]]);
  expect(await shown(second)).toMatchObject({ CidrIpv4: "192.0.2.0/24" });
});
