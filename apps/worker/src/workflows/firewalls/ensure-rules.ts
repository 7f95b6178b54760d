import type { Firewall, FirewallRule, Prisma } from "@gantry/db";
import { type SecurityGroupRuleParams, securityGroupRule } from "../../aws/ec2/security-group-rule.js";
import { permanent } from "../../engine/stage-errors.js";
import type { AwsStageContext } from "../aws-workflow.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;
type Rule = FirewallRule & { firewall: Firewall; sourceFirewall: Firewall | null };

/** Traffic that a firewall allows in. */
export interface Ingress {
  /** A canonical CIDR, or the members of a firewall of the same account and VPC. */
  source: { cidr: string } | { firewallId: number };
  /** A port, or a range `from-to`. */
  portRange: string;
  protocol: "tcp" | "udp";
  /** True for traffic only to application servers. */
  applicationOnly?: boolean;
}

/** Adds rules to a firewall, on record and in AWS. An equal rule is kept. May be repeated. */
export async function allowIngress(context: Context, firewall: Firewall, ingress: Ingress[]): Promise<void> {
  await insertRules(context, firewall, ingress);
  await ensureRules(context, { firewallId: firewall.id, OR: ingress.map(ruleColumns) });
}

/** Inserts the rules that are not on record yet. */
export async function insertRules({ db }: Context, firewall: Firewall, ingress: Ingress[]): Promise<void> {
  const { id: firewallId, accountId } = firewall;
  const data = ingress.map((each) => ({ accountId, firewallId, ...ruleColumns(each) }));
  await db.firewallRule.createMany({ data, skipDuplicates: true });
}

/** Creates the recorded rules that meet a condition in AWS. */
export async function ensureRules(context: Context, where: Prisma.FirewallRuleWhereInput): Promise<void> {
  const rules = await context.db.firewallRule.findMany({
    where: { ...where, deletedAt: null },
    include: { firewall: true, sourceFirewall: true },
  });
  await Promise.all(rules.map((rule) => ensureRule(context, rule)));
}

/** Creates a rule in AWS, and records its id. May be repeated. */
export async function ensureRule({ db, cloud }: Context, rule: Rule): Promise<void> {
  const { id, firewall } = rule;
  const { providerId, region, environmentId } = firewall;
  const scope = cloud({ providerId, region, owner: { type: "firewall_rule", id: String(id) }, environmentId });
  const provisionedId = await scope.ensure(securityGroupRule, paramsOf(rule));
  if (rule.provisionedId !== provisionedId) await db.firewallRule.update({ where: { id }, data: { provisionedId } });
}

/** The values of a rule in AWS. @throws PermanentFailure if its firewall or its source does not exist there */
export function paramsOf(rule: Rule): SecurityGroupRuleParams {
  const { accountId, firewall, sourceFirewall, source, portRange, protocol } = rule;
  const groupId = rule.applicationOnly ? firewall.webGroupId : firewall.provisionedId;
  if (!groupId) throw permanent("The firewall of this rule does not exist in AWS");
  if (sourceFirewall && (sourceFirewall.accountId !== accountId || !sourceFirewall.provisionedId)) {
    throw permanent("The source firewall of this rule does not exist in AWS");
  }
  const [fromPort = 0, toPort = fromPort] = portRange.split("-").map(Number);
  return {
    groupId,
    source: sourceFirewall?.provisionedId ? { groupId: sourceFirewall.provisionedId } : { cidr: source },
    protocol: protocol as "tcp" | "udp",
    fromPort,
    toPort,
  };
}

function ruleColumns({ source, portRange, protocol, applicationOnly = false }: Ingress) {
  const columns = { portRange, protocol, applicationOnly };
  return "cidr" in source
    ? { source: source.cidr, sourceFirewallId: null, ...columns }
    : { source: String(source.firewallId), sourceFirewallId: source.firewallId, ...columns };
}
