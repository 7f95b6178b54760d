import type { Firewall, FirewallRule, Tx } from "@gantry/db";
import { z } from "zod";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, forbidden, invalid } from "../../http/errors/errors.js";
import { collections, integerId } from "../../http/input/references.js";
import { canonicalBlock } from "../networks/network.cidr.js";
import { requireProvisioned } from "../provisioned.js";

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
  await requireUniqueRule(db, { firewallId, source, portRange, protocol, applicationOnly }, except);
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
 * @throws 409 if the firewall has another, equal rule in the same group
 */
async function requireUniqueRule(
  db: Tx,
  rule: Omit<RuleAttributes, "sourceFirewallId"> & { firewallId: number },
  except: number | undefined,
): Promise<void> {
  const same = await db.firewallRule.findFirst({
    where: { ...rule, deletedAt: null, ...(except !== undefined && { id: { not: except } }) },
  });
  if (same)
    throw conflict(`firewall ${rule.firewallId} already has this rule: ${same.id}`, {
      blocking: [`firewall-rules/${same.id}`],
    });
}
