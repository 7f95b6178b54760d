import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ProxySettings } from "../aws-proxy/proxy.js";
import { startNode } from "../processes/start.js";
import { type Component, type ComponentOptions, freePort, toComponent } from "./component.js";

/** The proxy's settings: the emulator's URL, an optional file for the call log, and the transition delays. */
export type AwsProxyOptions = ComponentOptions & ProxySettings;

/** Starts the proxy that adds the behaviour of AWS to the emulator, on 127.0.0.1. */
export async function startAwsProxy(options: AwsProxyOptions): Promise<Component> {
  const { folder, environment, port = await freePort(), ...settings } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "aws-proxy.log");
  const args = [String(port), JSON.stringify(settings)];
  const running = await startNode("aws-proxy/main", args, { name: "aws-proxy", environment, logFile });
  return toComponent(`http://127.0.0.1:${port}`, running);
}
