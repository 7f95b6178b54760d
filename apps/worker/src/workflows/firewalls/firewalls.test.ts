import {
  AuthorizeSecurityGroupIngressCommand,
  DescribeSecurityGroupsCommand,
  type IpPermission,
} from "@aws-sdk/client-ec2";
import { aws, REGION } from "@gantry/test/support/account";
import { createFirewall } from "@gantry/test/support/api";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";
import { newFirewall, requestDefaultFirewall } from "./firewalls.scenarios.js";

const context = awsTestContext();

async function provisionedFirewall() {
  const firewall = await newFirewall(context);
  expect(await context.outcome(await requestDefaultFirewall(context, firewall))).toMatchObject({ successful: true });
  return context.db.firewall.findUniqueOrThrow({
    where: { id: firewall.id },
    include: { environment: true, rules: true },
  });
}

/** The ingress rules of a security group, a line for each source. */
async function ingressOf(groupId: string | null): Promise<string[]> {
  const { ec2 } = awsOpener(10)(REGION, context.customer.awsAccount);
  const { SecurityGroups } = await ec2.send(new DescribeSecurityGroupsCommand({ GroupIds: [groupId ?? ""] }));
  return (SecurityGroups?.[0]?.IpPermissions ?? []).flatMap(linesOf).sort();
}

function linesOf({ IpProtocol, FromPort, ToPort, UserIdGroupPairs, IpRanges, Ipv6Ranges }: IpPermission): string[] {
  const sources = [
    ...(UserIdGroupPairs ?? []).map(({ GroupId }) => GroupId),
    ...(IpRanges ?? []).map(({ CidrIp }) => CidrIp),
    ...(Ipv6Ranges ?? []).map(({ CidrIpv6 }) => CidrIpv6),
  ];
  return sources.map((source) => `${IpProtocol} ${FromPort}-${ToPort} ${source}`);
}

const count = async () => {
  const {
    security_group: groups,
    key_pair: keys,
    security_group_rule: rules,
  } = await aws.inventory(context.customer.awsAccount);
  return [groups.length, keys.length, rules.filter(({ tags }) => tags["gantry:account"]).length];
};

it("allows an environment's own servers, and web traffic to its application servers, and records the rules", async () => {
  const { provisionedId, webGroupId, environment, rules, id } = await provisionedFirewall();
  expect(await ingressOf(provisionedId)).toEqual([`tcp 0-65535 ${provisionedId}`, `udp 0-65535 ${provisionedId}`]);
  expect(await ingressOf(webGroupId)).toEqual(["tcp 443-443 0.0.0.0/0", "tcp 80-80 0.0.0.0/0"]);
  expect(environment).toMatchObject({ firewallId: id, keyPairName: expect.stringContaining("gantry-environment-") });
  expect(rules.map(({ source, portRange, protocol }) => `${protocol} ${portRange} ${source}`).sort()).toEqual([
    `tcp 0-65535 ${id}`,
    "tcp 443 0.0.0.0/0",
    "tcp 80 0.0.0.0/0",
    `udp 0-65535 ${id}`,
  ]);
  expect(rules.filter(({ applicationOnly }) => applicationOnly).map(({ portRange }) => portRange)).toEqual([
    "80",
    "443",
  ]);
  expect(rules.every((rule) => rule.provisionedId?.startsWith("sgr-"))).toBe(true);
});

it("opens web ports to all servers of a firewall that has rules for them all, as firewalls had before", async () => {
  const firewall = await newFirewall(context);
  const { accountId, id: firewallId } = firewall;
  const rule = { accountId, firewallId, source: "0.0.0.0/0", portRange: "443", protocol: "tcp" };
  await context.db.firewallRule.create({ data: rule });
  await context.outcome(await requestDefaultFirewall(context, firewall));
  const { provisionedId, webGroupId } = await context.db.firewall.findUniqueOrThrow({ where: { id: firewallId } });
  expect([webGroupId, await ingressOf(provisionedId)]).toEqual([null, ["tcp 443-443 0.0.0.0/0"]]);
});

it("makes no call to AWS if the firewall exists", async () => {
  const firewall = await provisionedFirewall();
  const before = (await aws.calls({ accountId: context.customer.awsAccount.accountId })).length;
  const again = [1, 2, 3].map(() => requestDefaultFirewall(context, firewall));
  for (const id of await Promise.all(again)) expect(await context.outcome(id)).toMatchObject({ successful: true });
  expect(await aws.calls({ accountId: context.customer.awsAccount.accountId })).toHaveLength(before);
});

it("keeps a firewall that existed before, when a second Request for it is cancelled", async () => {
  const firewall = await provisionedFirewall();
  const id = await requestDefaultFirewall(context, firewall);
  await context.db.request.update({ where: { id }, data: { cancelRequestedAt: new Date() } });
  expect(await context.outcome(id)).toMatchObject({ successful: false, message: "Cancelled" });
  expect(await count()).toEqual([2, 1, 4]);
  const after = await context.db.firewall.findUniqueOrThrow({
    where: { id: firewall.id },
    include: { environment: true },
  });
  expect([after.provisionedId, after.environment?.firewallId]).toEqual([firewall.provisionedId, firewall.id]);
});

it("can be retried after a failure, with the same environment", async () => {
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("ImportKeyPair", { code: "UnauthorizedOperation", times: 1, accessKeyId });
  const firewall = await newFirewall(context);
  expect(await context.outcome(await requestDefaultFirewall(context, firewall))).toMatchObject({ successful: false });
  expect(await count()).toEqual([0, 0, 0]);
  const failed = await context.db.firewall.findUniqueOrThrow({
    where: { id: firewall.id },
    include: { environment: true },
  });
  expect(failed).toMatchObject({ provisionedId: null, deletedAt: null, environment: { deletedAt: null } });
  expect(await context.outcome(await requestDefaultFirewall(context, firewall))).toMatchObject({ successful: true });
  expect(await count()).toEqual([2, 1, 4]);
});

it("is created again after its environment was deprovisioned, with the rules on record at that time", async () => {
  const { id, environmentId, accountId, rules } = await provisionedFirewall();
  const rule = { accountId, firewallId: id, source: "2001:db8::/32", portRange: "22", protocol: "tcp" };
  const own = await context.db.firewallRule.create({ data: rule });
  await context.outcome(
    await createRequestOf(
      context.db,
      context.customer,
      "provision_firewall_rule",
      { type: "firewall_rule", id: own.id },
      {},
    ),
  );
  const web = rules.find(({ portRange }) => portRange === "80");
  await context.outcome(
    await createRequestOf(
      context.db,
      context.customer,
      "deprovision_firewall_rule",
      { type: "firewall_rule", id: web?.id ?? 0 },
      {},
    ),
  );

  const environment = { type: "environment", id: environmentId ?? 0 } as const;
  expect(
    await context.outcome(
      await createRequestOf(context.db, context.customer, "deprovision_environment", environment, {}),
    ),
  ).toMatchObject({
    successful: true,
  });
  expect(await count()).toEqual([0, 0, 0]);
  await context.outcome(
    await requestDefaultFirewall(context, await context.db.firewall.findUniqueOrThrow({ where: { id } })),
  );
  const { provisionedId, webGroupId } = await context.db.firewall.findUniqueOrThrow({ where: { id } });
  expect(await ingressOf(provisionedId)).toEqual([
    `tcp 0-65535 ${provisionedId}`,
    "tcp 22-22 2001:db8::/32",
    `udp 0-65535 ${provisionedId}`,
  ]);
  expect(await ingressOf(webGroupId)).toEqual(["tcp 443-443 0.0.0.0/0"]);
});

it("allows another firewall's members", async () => {
  const [first, second] = [await provisionedFirewall(), await provisionedFirewall()];
  const rule = { source: String(second.id), sourceFirewallId: second.id, portRange: "5432", protocol: "tcp" };
  const { id } = await context.db.firewallRule.create({
    data: { accountId: first.accountId, firewallId: first.id, ...rule },
  });
  await context.outcome(
    await createRequestOf(context.db, context.customer, "provision_firewall_rule", { type: "firewall_rule", id }, {}),
  );
  expect(await ingressOf(first.provisionedId)).toContain(`tcp 5432-5432 ${second.provisionedId}`);
});

it("fails with the reason if the firewall of a rule does not exist in AWS", async () => {
  const { environment, ...firewall } = await provisionedFirewall();
  if (!environment) throw new Error("no environment");
  await context.db.firewall.update({ where: { id: firewall.id }, data: { deletedAt: new Date() } });
  const planned = await createFirewall(context.db, environment, { provisionedId: null });
  const rule = { source: "192.0.2.0/24", portRange: "22", protocol: "tcp" };
  const { id } = await context.db.firewallRule.create({
    data: { accountId: context.customer.accountId, firewallId: planned.id, ...rule },
  });
  const request = await context.outcome(
    await createRequestOf(context.db, context.customer, "provision_firewall_rule", { type: "firewall_rule", id }, {}),
  );
  expect(request.message).toBe("The firewall of this rule does not exist in AWS");
  expect((await context.db.firewallRule.findUniqueOrThrow({ where: { id } })).deletedAt).not.toBeNull();
});

describe("a change of a rule in place", () => {
  type Input = Parameters<typeof modify>[1];
  const modify = async (id: number, input: { source?: string; sourceFirewallId?: number | null; portRange?: string }) =>
    context.outcome(
      await createRequestOf(context.db, context.customer, "modify_firewall_rule", { type: "firewall_rule", id }, input),
    );
  const newRule = async (firewall: { id: number; accountId: string }, values: object) => {
    const rule = { source: "192.0.2.0/24", portRange: "22", protocol: "tcp", ...values };
    const { id } = await context.db.firewallRule.create({
      data: { accountId: firewall.accountId, firewallId: firewall.id, ...rule },
    });
    const record = { type: "firewall_rule", id } as const;
    await context.outcome(await createRequestOf(context.db, context.customer, "provision_firewall_rule", record, {}));
    return context.db.firewallRule.findUniqueOrThrow({ where: { id } });
  };
  const ownRule = (groupId: string | null) => [`tcp 0-65535 ${groupId}`, `udp 0-65535 ${groupId}`];

  it.each<[title: string, values: object, input: Input, shown: string]>([
    ["a block of IPv4", {}, { source: "192.0.2.7/32", sourceFirewallId: null }, "tcp 22-22 192.0.2.7/32"],
    ["a block of IPv6", { source: "2001:db8::/32" }, { source: "2001:db8::/64" }, "tcp 22-22 2001:db8::/64"],
    ["a range of ports", {}, { portRange: "22-25" }, "tcp 22-25 192.0.2.0/24"],
  ])("changes %s, keeps the rule's id in AWS, and never takes the rule away", async (_title, values, input, shown) => {
    const firewall = await provisionedFirewall();
    const rule = await newRule(firewall, values);
    const { accountId } = context.customer.awsAccount;
    const before = (await aws.calls({ accountId })).length;
    expect(await modify(rule.id, input)).toMatchObject({ successful: true });
    expect(await ingressOf(firewall.provisionedId)).toEqual([...ownRule(firewall.provisionedId), shown].sort());
    const after = await context.db.firewallRule.findUniqueOrThrow({ where: { id: rule.id } });
    expect(after).toMatchObject({ ...input, provisionedId: rule.provisionedId });
    const made = (await aws.calls({ accountId })).slice(before).map(({ action }) => action);
    expect(made.filter((action) => !action.startsWith("Describe"))).toEqual(["ModifySecurityGroupRules"]);
  });

  it("changes the firewall whose members are allowed", async () => {
    const [first, second, third] = [
      await provisionedFirewall(),
      await provisionedFirewall(),
      await provisionedFirewall(),
    ];
    const sourceOf = ({ id }: { id: number }) => ({ source: String(id), sourceFirewallId: id });
    const rule = await newRule(first, sourceOf(second));
    expect(await modify(rule.id, sourceOf(third))).toMatchObject({ successful: true });
    const ingress = await ingressOf(first.provisionedId);
    expect(ingress).toContain(`tcp 22-22 ${third.provisionedId}`);
    expect(ingress).not.toContain(`tcp 22-22 ${second.provisionedId}`);
  });

  it("fails with the reason if AWS has an equal rule that was made outside of Gantry, and changes nothing", async () => {
    const firewall = await provisionedFirewall();
    const rule = await newRule(firewall, {});
    const { ec2 } = awsOpener(10)(REGION, context.customer.awsAccount);
    const IpPermissions = [{ IpProtocol: "tcp", FromPort: 23, ToPort: 23, IpRanges: [{ CidrIp: "192.0.2.0/24" }] }];
    await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId: firewall.provisionedId ?? "", IpPermissions }));
    const message = `Firewall ${firewall.id} has an equal rule in AWS that Gantry does not know`;
    expect(await modify(rule.id, { portRange: "23" })).toMatchObject({ successful: false, message });
    expect(await context.db.firewallRule.findUniqueOrThrow({ where: { id: rule.id } })).toEqual(rule);
  });

  it("fails with the reason if a rule became equal meanwhile, and makes no call to AWS", async () => {
    const firewall = await provisionedFirewall();
    const [rule, other] = [await newRule(firewall, {}), await newRule(firewall, { portRange: "23" })];
    const message = `Firewall ${firewall.id} already has this rule: ${other.id}`;
    expect(await modify(rule.id, { portRange: "23" })).toMatchObject({ successful: false, message });
  });
});
