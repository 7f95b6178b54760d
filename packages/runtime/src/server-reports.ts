import { BlockList, isIP } from "node:net";
import type { Env } from "./env.js";

const own = new BlockList();
own.addSubnet("0.0.0.0", 8);
own.addSubnet("127.0.0.0", 8);
own.addAddress("::", "ipv6");
own.addAddress("::1", "ipv6");

const notPublic = new BlockList();
for (const [network, prefix] of [
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.168.0.0", 16],
] as const) {
  notPublic.addSubnet(network, prefix);
}
notPublic.addSubnet("fc00::", 7, "ipv6");
notPublic.addSubnet("fe80::", 10, "ipv6");

/**
 * The reason why AWS cannot reach a URL of this form, as the end of a sentence about it; undefined if it may be
 * reachable.
 */
export function whyUnreachableFromAws(url: string): string | undefined {
  const { protocol, hostname } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const family = isIP(host) === 6 ? "ipv6" : "ipv4";
  if (host === "localhost" || host.endsWith(".localhost") || (isIP(host) && own.check(host, family))) {
    return "points to the machine that runs Gantry";
  }
  if (isIP(host) && notPublic.check(host, family)) return "is a private address";
  if (!isIP(host) && !host.includes(".")) return "has a host name without a domain";
  if (protocol !== "https:") return "does not use https, but each report contains a secret token";
  return undefined;
}

/** The alternatives to a BASE_URL to which servers cannot report. */
export const REMEDIES =
  "Gantry's operator can set BASE_URL to an https URL that AWS can reach, or set SERVER_REPORTS=none on the API and the workers";

/**
 * Why servers on AWS itself could not report to Gantry, as sentences; undefined if they can as far as the settings
 * show, if they need not, or if another endpoint replaces AWS.
 */
export function whyServersCannotReport({
  SERVER_REPORTS,
  AWS_ENDPOINT_URL,
  BASE_URL,
}: Pick<Env, "SERVER_REPORTS" | "AWS_ENDPOINT_URL" | "BASE_URL">): string | undefined {
  if (SERVER_REPORTS === "none" || AWS_ENDPOINT_URL) return undefined;
  if (BASE_URL === undefined) return `New servers in AWS could not report to Gantry: BASE_URL is not set. ${REMEDIES}`;
  const reason = whyUnreachableFromAws(BASE_URL);
  return reason && `New servers in AWS could not report to Gantry: BASE_URL (${BASE_URL}) ${reason}. ${REMEDIES}`;
}
