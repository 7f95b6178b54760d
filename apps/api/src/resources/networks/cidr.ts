import { Address4 } from "ip-address";
import { z } from "zod";

/** A block of IPv4 addresses in its canonical form, of a size that AWS takes for networks and subnets. */
export const cidrBlock = z
  .string()
  .refine((text) => parsed(text) !== undefined, "must be an IPv4 CIDR block, such as 10.0.0.0/16")
  .refine((text) => isSized(text), "must be between /16 and /28")
  .refine((text) => isCanonical(text), {
    error: ({ input }) => `is not canonical: ${canonical(String(input))} is the block that holds it`,
  });

/** True where every address of `inner` is one of `outer`. */
export function holds(outer: string, inner: string): boolean {
  return new Address4(inner).isInSubnet(new Address4(outer));
}

/** True where two blocks share an address. */
export function overlap(one: string, other: string): boolean {
  return holds(one, other) || holds(other, one);
}

function parsed(text: string): Address4 | undefined {
  return /^[\d.]+\/\d+$/.test(text) && Address4.isValid(text) ? new Address4(text) : undefined;
}

function isSized(text: string): boolean {
  const block = parsed(text);
  return !block || (block.subnetMask >= 16 && block.subnetMask <= 28);
}

function isCanonical(text: string): boolean {
  return !parsed(text) || canonical(text) === text;
}

function canonical(text: string): string {
  const block = parsed(text);
  return block ? `${block.startAddress().correctForm()}/${block.subnetMask}` : text;
}
