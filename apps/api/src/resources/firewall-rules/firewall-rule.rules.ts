import type { Firewall, FirewallRule, Tx } from "@gantry/db";
import { field, firewallRuleChanges, type InputOf } from "@gantry/resources";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, forbidden, invalid } from "../../http/errors/errors.js";
import { strict } from "../../http/input/input.js";
import { collections, integerId } from "../../http/input/references.js";
import { canonicalBlock } from "../networks/network.cidr.js";
import { requireProvisioned } from "../provisioned.js";
import { assertNoUnfinishedRequest } from "../unfinished-requests.js";

/** The shortest prefixes of blocks that every member may open: two halves of the internet are the internet. */
const SHORTEST_PREFIX = { ipv4: 8, ipv6: 32 };
/** The ports that every member may open to blocks of any size. */
const PUBLIC_PORTS: readonly string[] = ["80", "443"];
const LAST_PORT = 65_535;

const PORTS = /^(\d{1,5})(?:-(\d{1,5}))?$/;

/** A port, or a range `from-to`; a range of one port is that port. */
export const portRange = z
  .string()
  .regex(PORTS, "must be a port or a range, such as 22 or 0-65535")
  .transform((text, context) => {
    const [from = 0, to = from] = text.split("-").map(Number);
    const refuse = (message: string) => context.addIssue({ code: "custom", message });
    if (to > LAST_PORT) refuse(`must not exceed port ${LAST_PORT}`);
    if (from > to) refuse(`must not start after its end: ${from} is greater than ${to}`);
    return from === to ? `${from}` : `${from}-${to}`;
  });

export const protocol = z.enum(["tcp", "udp"]);

const firewallIdInput = integerId("firewalls");

const sourceInput = z.union([z.int().min(1), z.string()]).register(collections, { collection: "firewalls" });

/** The id or URL of a firewall, or a block of IPv4 or IPv6 addresses in its canonical form. */
export const source = sourceInput.transform((input, context) => {
  const named = firewallIdInput.safeParse(input);
  if (named.success) return { firewallId: named.data };
  const text = String(input);
  const canonical = canonicalBlock(text);
  if (canonical === undefined) {
    context.addIssue({
      code: "custom",
      message: "must be a firewall's id or URL, or a CIDR block such as 192.0.2.0/24",
    });
  } else if (canonical !== text) {
    context.addIssue({ code: "custom", message: `has bits set beyond its prefix; use ${canonical}` });
  }
  return { cidr: text };
});

/** The attributes of a rule: its source is a block, or a firewall's id. */
type RuleAttributes = Pick<FirewallRule, "source" | "sourceFirewallId" | "portRange" | "protocol" | "applicationOnly">;

/**
 * Requires that this caller may add the rule to the firewall now. Call it with the firewall's row locked.
 *
 * @param except the rule itself, if it is added again
 * @throws 403 if only an administrator may open so much, 409 if the firewall or its source cannot be used now or it has
 * an equal rule, 404 or 422 if the source is not in its network
 */
export async function requireAllowedRule(
  caller: Caller,
  db: Tx,
  firewall: Firewall,
  rule: RuleAttributes,
  except?: number,
): Promise<void> {
  const { id: firewallId, accountId } = firewall;
  requireProvisioned("firewall", firewall);
  const { source, sourceFirewallId, portRange, protocol, applicationOnly } = rule;
  if (sourceFirewallId === null) requirePermissionToOpen(caller, accountId, source, portRange);
  else if (sourceFirewallId !== firewallId) await findSourceFirewall(caller, firewall, sourceFirewallId);
  await requireUniqueRule(db, { accountId, firewallId, source, portRange, protocol, applicationOnly }, except);
}

/**
 * The firewall whose members a rule allows into another firewall; locked against removal until the transaction ends.
 *
 * @throws 404 if the caller does not see it, 409 if it is not provisioned, 422 if the networks differ
 */
async function findSourceFirewall(caller: Caller, firewall: Firewall, id: number): Promise<Firewall> {
  const other = await caller.find("firewall", id, "share");
  const path = "firewall_rule.source";
  if (other.accountId !== firewall.accountId) throw invalid(path, `firewall ${id} belongs to another account`);
  requireProvisioned("firewall", other);
  const isSame = (["providerId", "region", "vpcProvisionedId"] as const).every((key) => other[key] === firewall[key]);
  if (!isSame) throw invalid(path, `firewall ${id} is not in the same network as firewall ${firewall.id}`);
  return other;
}

/**
 * @throws 403 if a caller that is not an administrator opens more than the public ports to a large part of the internet
 */
function requirePermissionToOpen(caller: Caller, accountId: string, cidr: string, ports: string): void {
  const shortest = SHORTEST_PREFIX[cidr.includes(":") ? "ipv6" : "ipv4"];
  if (Number(cidr.split("/")[1]) >= shortest || PUBLIC_PORTS.includes(ports)) return;
  if (caller.hasScope("admin") && caller.may("admin", accountId)) return;
  const others = `members can open ports ${PUBLIC_PORTS.join(" and ")} to it, and any port to blocks of /${shortest} or smaller`;
  throw forbidden(`only an administrator can open ${ports} to ${cidr}; ${others}`);
}

/**
 * Rules only for application servers are in a security group of their own, in which AWS looks for duplicates.
 *
 * @throws 409 if the firewall has another, equal rule in the same group, or a change gives another rule these values
 */
async function requireUniqueRule(
  db: Tx,
  rule: Omit<RuleAttributes, "sourceFirewallId"> & { accountId: string; firewallId: number },
  except: number | undefined,
): Promise<void> {
  const isOther = { deletedAt: null, ...(except !== undefined && { id: { not: except } }) };
  const same = await db.firewallRule.findFirst({ where: { ...rule, ...isOther } });
  if (same)
    throw conflict(`firewall ${rule.firewallId} already has this rule: ${same.id}`, {
      blocking: [`firewall-rules/${same.id}`],
    });
  const { accountId, firewallId, applicationOnly, ...values } = rule;
  const pending = await db.request.findMany({ where: { accountId, type: "modify_firewall_rule", finishedAt: null } });
  if (pending.length === 0) return;
  const ids = pending.map(({ resourceId }) => Number(resourceId));
  const rows = await db.firewallRule.findMany({
    where: { AND: [{ firewallId, applicationOnly }, { id: { in: ids } }, isOther] },
  });
  for (const row of rows) {
    const request = pending.find(({ resourceId }) => resourceId === String(row.id));
    const changed: Record<string, unknown> = { ...row, ...(request?.input as InputOf<"modify_firewall_rule">) };
    if (request && Object.entries(values).every(([name, value]) => changed[name] === value))
      throw conflict(`firewall ${firewallId} is about to have this rule: ${row.id}`, {
        blocking: [`requests/${request.id}`],
      });
  }
}

/** What a rule can be given in place. */
export const ruleChangesInput = strict({
  source: field(
    source.optional(),
    "203.0.113.0/24",
    "Of the kind that the rule has now, a firewall or a CIDR block: AWS does not change the kind",
  ),
  port_range: field(portRange.optional(), "443"),
  protocol: protocol.optional(),
});

/**
 * A rule, locked until the transaction ends with its firewall, and what changes of it.
 *
 * @throws 403 if only an administrator may open so much, 404, 409 if it cannot be changed now or its firewall has an equal
 * rule, 422 if AWS could not make the change or nothing would change
 */
export async function findRuleModification(
  caller: Caller,
  db: Tx,
  ruleId: string | number,
  given: z.output<typeof ruleChangesInput>,
): Promise<{ rule: FirewallRule; changes: InputOf<"modify_firewall_rule"> }> {
  const { firewallId } = await caller.find("firewallRule", ruleId);
  const wanted = {
    ...(given.source && sourceColumns(given.source)),
    ...(given.port_range !== undefined && { portRange: given.port_range }),
    ...(given.protocol !== undefined && { protocol: given.protocol }),
  };
  const firewall = await lockFirewalls(caller, firewallId, wanted.sourceFirewallId);
  const rule = await caller.find("firewallRule", ruleId, "update");
  requireProvisioned("firewall_rule", rule);
  await assertNoUnfinishedRequest(["modify_firewall_rule"], db, "firewall_rule", rule.id);
  const changes = Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => rule[name as keyof FirewallRule] !== value),
  ) as InputOf<"modify_firewall_rule">;
  if (Object.keys(changes).length === 0) {
    const names = Object.keys(firewallRuleChanges).join(", ");
    throw invalid("firewall_rule", `names no change: ${names} are as they would be`);
  }
  await requireAllowedChange(caller, db, firewall, rule, changes);
  return { rule, changes };
}

/**
 * Locks a firewall against new rules until the transaction ends, and the source of a rule as `findSourceFirewall` does: in
 * the order of their ids, so that two changes that name each other's firewall do not deadlock.
 */
export async function lockFirewalls(caller: Caller, firewallId: number, sourceId?: number | null): Promise<Firewall> {
  const isFirst = sourceId && sourceId < firewallId;
  if (isFirst) await caller.find("firewall", sourceId, "share");
  return caller.find("firewall", firewallId, "update");
}

/** Requires that the rule may change so now. Call it with both rows locked. @throws as `requireAllowedRule` */
export async function requireAllowedChange(
  caller: Caller,
  db: Tx,
  firewall: Firewall,
  rule: FirewallRule,
  changes: InputOf<"modify_firewall_rule">,
): Promise<void> {
  const changed = { ...rule, ...changes };
  const [from, to] = [sourceKind(rule), sourceKind(changed)];
  if (from !== to) {
    const instead = `allow the new source by POST /firewalls/${firewall.id}/rules, then remove this rule`;
    throw invalid("firewall_rule.source", `AWS does not change a source from ${from} to ${to}; ${instead}`);
  }
  await requireAllowedRule(caller, db, firewall, changed, rule.id);
}

/** The columns of a rule's source. */
export function sourceColumns(from: z.output<typeof source>): Pick<RuleAttributes, "source" | "sourceFirewallId"> {
  return "cidr" in from
    ? { source: from.cidr, sourceFirewallId: null }
    : { source: String(from.firewallId), sourceFirewallId: from.firewallId };
}

function sourceKind({ source, sourceFirewallId }: Pick<RuleAttributes, "source" | "sourceFirewallId">): string {
  if (sourceFirewallId !== null) return "a firewall";
  return source.includes(":") ? "a block of IPv6" : "a block of IPv4";
}
