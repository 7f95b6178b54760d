import { Address4 } from "ip-address";

const MAX_PREFIX = 28;

/** The block of a subnet in a zone. */
export interface ZoneBlock {
  zone: string;
  cidr: string;
  isPrivate: boolean;
}

/**
 * Cuts a block for each zone from the start of a network's CIDR, and another for a private subnet if requested, all of
 * one size. At least half of the network stays free for later subnets. If the network is too small for that, the blocks
 * are /28, and zones for which there is no room get none.
 */
export function zoneBlocks(cidr: string, zones: string[], { privateSubnets = false } = {}): ZoneBlock[] {
  if (zones.length === 0) return [];
  const wanted = zones.flatMap((zone) =>
    (privateSubnets ? [false, true] : [false]).map((isPrivate) => ({ zone, isPrivate })),
  );
  const network = new Address4(cidr);
  const prefix = Math.min(MAX_PREFIX, network.subnetMask + Math.ceil(Math.log2(wanted.length)) + 1);
  const size = 2n ** BigInt(32 - prefix);
  const start = network.startAddress().bigInt();
  const blockCount = 2 ** (prefix - network.subnetMask);
  return wanted.slice(0, blockCount).map((each, i) => ({
    ...each,
    cidr: `${Address4.fromBigInt(start + BigInt(i) * size).correctForm()}/${prefix}`,
  }));
}
