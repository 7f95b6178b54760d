import { Resolver } from "node:dns/promises";
import { readFile } from "node:fs/promises";
import { isIP, type LookupFunction } from "node:net";

const LIMIT_MS = 3000;
const TRY_MS = 1000;
const TRIES = 2;
const HOSTS_FILE = process.platform === "win32" ? "C:\\Windows\\System32\\drivers\\etc\\hosts" : "/etc/hosts";

/** No name server has an address for a name, or none answered in time. */
export class NameNotResolved extends Error {}

export interface NameLookupOptions {
  /** Name servers, as `address:port`; those of the machine if absent. */
  servers?: string[];
  limitMs?: number;
}

/**
 * Returns a look-up that asks the name servers over its own sockets. `dns.lookup` would occupy one of the few threads
 * of the process until they answer, and calls to AWS need those threads. `localhost` and the names of the machine's
 * hosts file have the addresses from that file; a name without a dot is not completed by a search domain.
 */
export function nameLookup(options: NameLookupOptions = {}): LookupFunction {
  return (name, { all, family }, done) => {
    addressesOf(name, options).then(
      (addresses) => {
        const fitting = addresses.filter((each) => !family || `IPv${each.family}` === family || each.family === family);
        const [first] = fitting;
        if (!first) done(notResolved(name, "the name has no address"), []);
        else if (all) done(null, fitting);
        else done(null, first.address, first.family);
      },
      (error) => done(error, []),
    );
  };
}

const notResolved = (name: string, reason: string) =>
  new NameNotResolved(`the name ${name} could not be resolved: ${reason}`);

const withFamily = (address: string) => ({ address, family: isIP(address) });

async function addressesOf(name: string, { servers, limitMs = LIMIT_MS }: NameLookupOptions) {
  const local = await localAddresses(name);
  if (local.length > 0) return local.map(withFamily);
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES });
  if (servers) resolver.setServers(servers);
  const timer = setTimeout(() => resolver.cancel(), limitMs);
  const answers = await Promise.allSettled([resolver.resolve4(name), resolver.resolve6(name)]);
  clearTimeout(timer);
  const addresses = answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
  if (addresses.length > 0) return addresses.map(withFamily);
  const codes = answers.map((answer) => (answer.status === "rejected" ? answer.reason.code : ""));
  const isSilent = codes.some((code) => code === "ETIMEOUT" || code === "ECANCELLED");
  throw notResolved(name, isSilent ? "no name server answered in time" : codes[0]);
}

async function localAddresses(name: string): Promise<string[]> {
  const wanted = name.toLowerCase().replace(/\.$/, "");
  const hosts = await readFile(HOSTS_FILE, "utf8").catch(() => "");
  const lines = hosts.split("\n").map((line) => line.replace(/#.*/, "").trim().toLowerCase().split(/\s+/));
  const listed = lines.filter(([, ...names]) => names.includes(wanted)).map(([address = ""]) => address);
  const addresses = listed.filter((address) => isIP(address) !== 0);
  return addresses.length === 0 && /(^|\.)localhost$/.test(wanted) ? ["127.0.0.1", "::1"] : addresses;
}
