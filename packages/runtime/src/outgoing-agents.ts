import { isIP } from "node:net";
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from "request-filtering-agent";

export interface OutgoingAgents {
  http: RequestFilteringHttpAgent;
  https: RequestFilteringHttpsAgent;
}

/**
 * Agents for calls to addresses that users name. They check the address that a connection uses, so that a name cannot change
 * it after the check.
 *
 * @param allowsPrivate whether addresses of private networks and of this machine are allowed
 */
export function outgoingAgents(allowsPrivate: boolean): OutgoingAgents {
  const options = { allowPrivateIPAddress: allowsPrivate, allowMetaIPAddress: allowsPrivate, keepAlive: true };
  return { http: new RequestFilteringHttpAgent(options), https: new RequestFilteringHttpsAgent(options) };
}

/** Whether the agents refuse a URL whatever its name resolves to: its host is a private address, or `localhost`. Calls nothing. */
export function isPrivateUrl(url: string): boolean {
  const { hostname } = new URL(url);
  const host = /(^|\.)localhost\.?$/.test(hostname) ? "127.0.0.1" : hostname.replace(/^\[(.*)\]$/, "$1");
  if (isIP(host) === 0) return false;
  let isRefused = false;
  const agent = new RequestFilteringHttpAgent();
  // The agent checks an address at once; a socket that is destroyed before the next tick never connects.
  agent.createConnection({ host, port: 443 }, (error) => (isRefused = error instanceof Error)).destroy();
  return isRefused;
}
