import type { Firewall, Prisma } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { ensureRule } from "./ensure-rule.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/** Traffic that a firewall allows in. */
export interface Ingress {
  /** A canonical CIDR, or the members of a firewall of the same account and VPC. */
  source: { cidr: string } | { firewallId: number };
  /** A port, or a range `from-to`. */
  portRange: string;
  protocol: "tcp" | "udp";
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

function ruleColumns({ source, portRange, protocol }: Ingress) {
  return "cidr" in source
    ? { source: source.cidr, sourceFirewallId: null, portRange, protocol }
    : { source: String(source.firewallId), sourceFirewallId: source.firewallId, portRange, protocol };
}
