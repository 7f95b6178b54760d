import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { AwsControl } from "../aws-control.js";
import { assertNoViolations } from "../aws-proxy/models/violations.js";
import type { ProxySettings } from "../aws-proxy/proxy.js";
import { startOnPort } from "../ports.js";
import { startNode } from "../processes/start.js";
import { type Component, type ComponentOptions, toComponent } from "./component.js";

/** The proxy's settings: the emulator's URL, an optional file for the call log, and the transition delays. */
export type AwsProxyOptions = ComponentOptions & ProxySettings;

/**
 * Starts the proxy that adds the behaviour of AWS to the emulator, on 127.0.0.1. Its `stop` rejects after the stop if
 * calls violated AWS's models of its services, so that no run overlooks them.
 */
export async function startAwsProxy(options: AwsProxyOptions): Promise<Component> {
  const { folder, environment, port: named, choosePort, ...settings } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "aws-proxy.log");
  const component = await startOnPort({ port: named, ...(choosePort && { choosePort }) }, async (port) => {
    const args = [String(port), JSON.stringify(settings)];
    const running = await startNode("aws-proxy/main", args, { name: "aws-proxy", environment, logFile });
    return toComponent(`http://127.0.0.1:${port}`, running);
  });
  const stop = async () => {
    const violations = new AwsControl(component.url).violations();
    await violations.finally(() => component.stop());
    assertNoViolations(await violations);
  };
  return { ...component, stop };
}
