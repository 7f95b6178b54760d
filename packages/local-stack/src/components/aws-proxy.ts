import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProxySettings } from "../aws-proxy/proxy.js";
import { startNode } from "../processes/start.js";
import { type Component, type ComponentOptions, freePort, toComponent } from "./component.js";

/** The proxy's settings: the emulator's URL, a file for the ledger if any, and how slow things become usable. */
export type AwsProxyOptions = ComponentOptions & ProxySettings;

/** Starts the proxy that gives the emulator the manners of AWS, on 127.0.0.1, in a process of its own. */
export async function startAwsProxy(options: AwsProxyOptions): Promise<Component> {
  const { folder, environment, port = await freePort(), ...settings } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "aws-proxy.log");
  const args = [String(port), JSON.stringify(settings)];
  const running = await startNode("aws-proxy/main", args, { name: "aws-proxy", environment, logFile });
  return toComponent(`http://127.0.0.1:${port}`, running);
}
