import type { Firewall, Prisma } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { makeRule } from "./make-rule.js";

type Context = Pick<AwsStageContext, "db" | "cloud">;

/** Something that a firewall lets in. */
export interface Opening {
  /** A canonical CIDR, or the members of a firewall of the same account and VPC. */
  source: { cidr: string } | { firewallId: number };
  /** A port, or a range `from-to`. */
  portRange: string;
  protocol: "tcp" | "udp";
}

/**
 * Lets more into a firewall that exists in AWS, and has the API show it. A rule that says the same and is there already
 * is kept; so it may be repeated.
 */
export async function openFirewall(context: Context, firewall: Firewall, openings: Opening[]): Promise<void> {
  await writeRules(context, firewall, openings);
  await makeRules(context, { firewallId: firewall.id, OR: openings.map(said) });
}

/** Writes what a firewall shall let in on record, as far as it is not there. */
export async function writeRules({ db }: Context, firewall: Firewall, openings: Opening[]): Promise<void> {
  const { id: firewallId, accountId } = firewall;
  const data = openings.map((opening) => ({ accountId, firewallId, ...said(opening) }));
  await db.firewallRule.createMany({ data, skipDuplicates: true });
}

/** Makes the rules in AWS that meet a condition, as far as they stand on record. */
export async function makeRules(context: Context, which: Prisma.FirewallRuleWhereInput): Promise<void> {
  const rules = await context.db.firewallRule.findMany({
    where: { ...which, deletedAt: null },
    include: { firewall: true, sourceFirewall: true },
  });
  await Promise.all(rules.map((rule) => makeRule(context, rule)));
}

function said({ source, portRange, protocol }: Opening) {
  return "cidr" in source
    ? { source: source.cidr, sourceFirewallId: null, portRange, protocol }
    : { source: String(source.firewallId), sourceFirewallId: source.firewallId, portRange, protocol };
}
