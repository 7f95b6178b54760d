import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProxySettings } from "../aws-proxy/proxy.js";
import { startNode } from "../processes/start.js";
import { freePort, type Part, type PartOptions, toPart } from "./part.js";

/** The proxy's settings: the emulator's URL, a file for the ledger if any, and how slow things become usable. */
export type AwsProxyOptions = PartOptions & ProxySettings;

/** Starts the proxy that gives the emulator the manners of AWS, on 127.0.0.1, in a process of its own. */
export async function startAwsProxy(options: AwsProxyOptions): Promise<Part> {
  const { folder, environment, port = await freePort(), ...settings } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "aws-proxy.log");
  const args = [String(port), JSON.stringify(settings)];
  const running = await startNode("aws-proxy/main", args, { name: "aws-proxy", environment, logFile });
  return toPart(`http://127.0.0.1:${port}`, running);
}
