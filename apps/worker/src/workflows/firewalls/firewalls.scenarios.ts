import { deepEqual } from "node:assert/strict";
import { DescribeSecurityGroupRulesCommand } from "@aws-sdk/client-ec2";
import type { Firewall } from "@gantry/db";
import { createEnvironment, createFirewall } from "@gantry/test/support/api";
import { PUBLIC_KEY } from "@gantry/test/support/firewall";
import type { ScenarioContext, Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf } from "@gantry/test/support/work";

const FIREWALL = { security_group: 2, key_pair: 1 };

/** The firewall of a new environment, not created yet. */
export async function newFirewall({ db, customer }: Pick<ScenarioContext, "db" | "customer">): Promise<Firewall> {
  const environment = await createEnvironment(db, customer.provider, { internalPublicKey: PUBLIC_KEY });
  return createFirewall(db, environment, { provisionedId: null });
}

export function requestDefaultFirewall({ db, customer }: Pick<ScenarioContext, "db" | "customer">, { id }: Firewall) {
  return createRequestOf(db, customer, "provision_default_firewall", { type: "firewall", id }, {});
}

async function provisionedFirewall(context: ScenarioContext): Promise<Firewall> {
  const firewall = await newFirewall(context);
  await requestDefaultFirewall(context, firewall);
  await context.finishRequests();
  return firewall;
}

/** A rule that is not created yet. */
async function newRule(context: ScenarioContext) {
  const { id: firewallId, accountId } = await provisionedFirewall(context);
  const rule = { accountId, firewallId, source: "192.0.2.0/24", portRange: "22", protocol: "tcp" };
  const { id } = await context.db.firewallRule.create({ data: rule });
  return { type: "firewall_rule", id } as const;
}

export const firewallScenarios = {
  provision_default_firewall: {
    createRequest: async (context) => requestDefaultFirewall(context, await newFirewall(context)),
    afterSuccess: { ...FIREWALL, security_group_rule: 4 },
    afterFailure: {},
  },
  provision_firewall_rule: {
    createRequest: async (context) =>
      createRequestOf(context.db, context.customer, "provision_firewall_rule", await newRule(context), {}),
    afterSuccess: { ...FIREWALL, security_group_rule: 5 },
    afterFailure: { ...FIREWALL, security_group_rule: 4 },
  },
  modify_firewall_rule: {
    createRequest: async (context) => {
      const rule = await newRule(context);
      await createRequestOf(context.db, context.customer, "provision_firewall_rule", rule, {});
      await context.finishRequests();
      const input = { source: "198.51.100.0/24", sourceFirewallId: null, portRange: "2200-2210" };
      return createRequestOf(context.db, context.customer, "modify_firewall_rule", rule, input);
    },
    afterSuccess: { ...FIREWALL, security_group_rule: 5 },
    verify: async ({ db, aws }, { resourceId, input }) => {
      const row = await db.firewallRule.findUniqueOrThrow({ where: { id: Number(resourceId) } });
      const Filters = [{ Name: "security-group-rule-id", Values: [row.provisionedId ?? ""] }];
      const { SecurityGroupRules = [] } = await aws.ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
      const shown = SecurityGroupRules.map(({ CidrIpv4, FromPort, ToPort }) => [CidrIpv4, `${FromPort}-${ToPort}`]);
      deepEqual(shown, [[input.source, input.portRange]]);
      deepEqual([row.source, row.portRange, row.protocol], [input.source, input.portRange, "tcp"]);
    },
  },
  deprovision_firewall_rule: {
    createRequest: async (context) => {
      const rule = await newRule(context);
      await createRequestOf(context.db, context.customer, "provision_firewall_rule", rule, {});
      await context.finishRequests();
      return createRequestOf(context.db, context.customer, "deprovision_firewall_rule", rule, {});
    },
    afterSuccess: { ...FIREWALL, security_group_rule: 4 },
    verify: async ({ db, aws }, { resourceId }) => {
      const where = { id: Number(resourceId) };
      const { deletedAt, firewall, source } = await db.firewallRule.findUniqueOrThrow({
        where,
        include: { firewall: true },
      });
      const Filters = [{ Name: "group-id", Values: [firewall.provisionedId ?? ""] }];
      const { SecurityGroupRules = [] } = await aws.ec2.send(new DescribeSecurityGroupRulesCommand({ Filters }));
      const sources = SecurityGroupRules.map(({ CidrIpv4 }) => CidrIpv4);
      deepEqual([deletedAt !== null, firewall.deletedAt], [true, null]);
      deepEqual([sources.includes("0.0.0.0/0"), sources.includes(source)], [true, false]);
    },
  },
} satisfies Scenarios;
