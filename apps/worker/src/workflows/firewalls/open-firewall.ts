import type { Prisma } from "@gantry/db";
import type { AwsStageContext } from "../aws-workflow.js";
import { makeRule } from "./make-rule.js";

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
export async function openFirewall(
  context: Pick<AwsStageContext, "db" | "cloud" | "request">,
  firewallId: number,
  openings: Opening[],
): Promise<void> {
  const { db, request } = context;
  const data = openings.map((opening) => ({ accountId: request.accountId, firewallId, ...said(opening) }));
  await db.firewallRule.createMany({ data, skipDuplicates: true });
  await makeRules(context, { firewallId, OR: data });
}

/** Makes the rules in AWS that meet a condition, as far as they stand on record. */
export async function makeRules(
  { db, cloud }: Pick<AwsStageContext, "db" | "cloud">,
  which: Prisma.FirewallRuleWhereInput,
): Promise<void> {
  const rules = await db.firewallRule.findMany({
    where: { ...which, deletedAt: null },
    include: { firewall: true, sourceFirewall: true },
  });
  await Promise.all(rules.map((rule) => makeRule({ db, cloud }, rule)));
}

/** What the record of a rule says of an opening. */
export function said({ source, portRange, protocol }: Opening) {
  return "cidr" in source
    ? { source: source.cidr, sourceFirewallId: null, portRange, protocol }
    : { source: String(source.firewallId), sourceFirewallId: source.firewallId, portRange, protocol };
}
