import { Address4, Address6, AddressError } from "ip-address";
import { z } from "zod";

/** A canonical IPv4 CIDR block of a size that AWS accepts for networks and subnets. */
export const cidrBlock = z
  .string()
  .superRefine((text, context) => {
    for (const message of problemsOf(text)) context.addIssue(message);
  })
  .meta({ examples: ["10.0.0.0/16"] });

function problemsOf(text: string): string[] {
  const block = parseBlock(text);
  if (!(block instanceof Address4)) return ["must be an IPv4 CIDR block, such as 10.0.0.0/16"];
  const canonical = canonicalOf(block);
  return [
    ...(block.subnetMask < 16 || block.subnetMask > 28 ? ["must be between /16 and /28"] : []),
    ...(canonical === text ? [] : [`has bits set beyond its prefix; use ${canonical}`]),
  ];
}

/** True if `outer` contains every address of `inner`; both are blocks of IPv4 or IPv6. */
export function cidrContains(outer: string, inner: string): boolean {
  const [within, around] = [parseBlock(inner), parseBlock(outer)];
  if (within instanceof Address4) return around instanceof Address4 && within.isInSubnet(around);
  return within !== undefined && around instanceof Address6 && within.isInSubnet(around);
}

/** True if the blocks share an address. */
export function overlaps(one: string, other: string): boolean {
  return cidrContains(one, other) || cidrContains(other, one);
}

/** The canonical form of an IPv4 or IPv6 CIDR block; undefined if the text is not one. */
export function canonicalBlock(text: string): string | undefined {
  const block = parseBlock(text);
  return block && canonicalOf(block);
}

function canonicalOf(block: Address4 | Address6): string {
  return `${block.startAddress().correctForm()}/${block.subnetMask}`;
}

function parseBlock(text: string): Address4 | Address6 | undefined {
  try {
    if (/^[\d.]+\/\d+$/.test(text)) return new Address4(text);
    return /^[\da-f:]+\/\d+$/i.test(text) ? new Address6(text) : undefined;
  } catch (error) {
    if (error instanceof AddressError) return undefined;
    throw error;
  }
}
