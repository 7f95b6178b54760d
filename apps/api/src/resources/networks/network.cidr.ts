import { Address4, Address6 } from "ip-address";
import { z } from "zod";

/** A canonical IPv4 CIDR block of a size that AWS accepts for networks and subnets. */
export const cidrBlock = z
  .string()
  .refine((text) => parseBlock(text) instanceof Address4, "must be an IPv4 CIDR block, such as 10.0.0.0/16")
  .refine((text) => hasAllowedSize(text), "must be between /16 and /28")
  .refine((text) => (canonicalBlock(text) ?? text) === text, {
    error: ({ input }) => `has bits set beyond its prefix; use ${canonicalBlock(String(input))}`,
  })
  .meta({ examples: ["10.0.0.0/16"] });

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
  return block && `${block.startAddress().correctForm()}/${block.subnetMask}`;
}

function parseBlock(text: string): Address4 | Address6 | undefined {
  if (/^[\d.]+\/\d+$/.test(text) && Address4.isValid(text)) return new Address4(text);
  if (/^[\da-f:]+\/\d+$/i.test(text) && Address6.isValid(text)) return new Address6(text);
  return undefined;
}

function hasAllowedSize(text: string): boolean {
  const block = parseBlock(text);
  return !(block instanceof Address4) || (block.subnetMask >= 16 && block.subnetMask <= 28);
}
