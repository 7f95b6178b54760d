import { Address4, Address6 } from "ip-address";
import { z } from "zod";

/** A block of IPv4 addresses in its canonical form, of a size that AWS takes for networks and subnets. */
export const cidrBlock = z
  .string()
  .refine((text) => parsed(text) instanceof Address4, "must be an IPv4 CIDR block, such as 10.0.0.0/16")
  .refine((text) => isSized(text), "must be between /16 and /28")
  .refine((text) => (canonicalBlock(text) ?? text) === text, {
    error: ({ input }) => `is not canonical: ${canonicalBlock(String(input))} is the block that holds it`,
  });

/** True where every address of `inner` is one of `outer`. */
export function holds(outer: string, inner: string): boolean {
  return new Address4(inner).isInSubnet(new Address4(outer));
}

/** True where two blocks share an address. */
export function overlap(one: string, other: string): boolean {
  return holds(one, other) || holds(other, one);
}

/** The block of IPv4 or IPv6 addresses in its canonical form, or undefined where the text is no such block. */
export function canonicalBlock(text: string): string | undefined {
  const block = parsed(text);
  return block && `${block.startAddress().correctForm()}/${block.subnetMask}`;
}

function parsed(text: string): Address4 | Address6 | undefined {
  if (/^[\d.]+\/\d+$/.test(text) && Address4.isValid(text)) return new Address4(text);
  if (/^[\da-f:]+\/\d+$/i.test(text) && Address6.isValid(text)) return new Address6(text);
  return undefined;
}

function isSized(text: string): boolean {
  const block = parsed(text);
  return !(block instanceof Address4) || (block.subnetMask >= 16 && block.subnetMask <= 28);
}
