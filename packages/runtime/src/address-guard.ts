import { BlockList, isIP, type LookupFunction } from "node:net";

/**
 * Link-local addresses, at which a cloud shows its machines their credentials, also inside IPv6, and unassigned
 * addresses.
 */
const NEVER = blockListOf([
  "0.0.0.0/8",
  "169.254.0.0/16",
  "::/128",
  "::169.254.0.0/112",
  "::ffff:0:169.254.0.0/112",
  "64:ff9b::169.254.0.0/112",
  "2002:a9fe::/32",
  "fd00:ec2::/32",
  "fe80::/10",
]);

/** By the registries of IANA for special purposes; in IPv6 only 2000::/3 is public. */
const PUBLIC_V6 = blockListOf(["2000::/3"]);
const RESERVED = blockListOf([
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.31.196.0/24",
  "192.52.193.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "192.175.48.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/3",
  "2001::/23",
  "2001:db8::/32",
  "2002::/16",
  "2620:4f:8000::/48",
  "3fff::/20",
]);

/** The address of a call is refused. */
export class AddressRefused extends Error {}

/**
 * Decides which addresses users may name for calls: public ones, and those in the blocks that the operator lists.
 * Link-local addresses are refused even if a block holds them.
 */
export class AddressGuard {
  private readonly allowed: BlockList;

  /** @param blocks blocks of private addresses that are allowed, such as `10.0.0.0/8` */
  constructor(blocks: readonly string[] = []) {
    this.allowed = blockListOf(blocks);
  }

  /** Returns whether an IP address is refused. */
  refuses(address: string): boolean {
    if (isIn(NEVER, address)) return true;
    if (isIn(this.allowed, address)) return false;
    return isIn(RESERVED, address) || (isIP(address) === 6 && !isIn(PUBLIC_V6, address));
  }

  /** Returns whether a URL is refused whatever its name resolves to: its host is a refused address, or `localhost`. */
  refusesUrl(url: string): boolean {
    const { hostname } = new URL(url);
    const host = /(^|\.)localhost\.?$/.test(hostname) ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
    return isIP(host) !== 0 && this.refuses(host);
  }

  /**
   * Returns a look-up that fails with `AddressRefused` if one of a name's addresses is refused. A connection uses the
   * addresses that were checked, so that a name cannot change them in between.
   */
  guard(lookup: LookupFunction): LookupFunction {
    return (name, options, done) =>
      lookup(name, options, (error, found, family) => {
        const addresses = typeof found === "string" ? [found] : (found ?? []).map(({ address }) => address);
        const isRefused = !error && addresses.some((address) => this.refuses(address));
        if (isRefused) done(new AddressRefused(`the address of ${name} is not allowed`), []);
        else done(error, found, family);
      });
  }
}

function blockListOf(blocks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const block of blocks) {
    const [address = "", prefix = ""] = block.split("/");
    list.addSubnet(address, Number(prefix), isIP(address) === 6 ? "ipv6" : "ipv4");
  }
  return list;
}

/** An IPv6 address that maps one of IPv4 is in the blocks of that one too. */
function isIn(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");
}
