import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { startNode } from "../processes/start.js";
import { freePort, type Part, type PartOptions, toPart } from "./part.js";

export interface AwsProxyOptions extends PartOptions {
  /** The URL of the emulator it stands in front of. */
  upstream: string;
  /** A file that every call is appended to as one line of JSON; none when left out. */
  ledgerFile?: string;
}

/** Starts the proxy that gives the emulator the manners of AWS, on 127.0.0.1, in a process of its own. */
export async function startAwsProxy(options: AwsProxyOptions): Promise<Part> {
  const { folder, environment, port = await freePort(), ...settings } = options;
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "aws-proxy.log");
  const args = [String(port), JSON.stringify(settings)];
  const running = await startNode("aws-proxy/main", args, { name: "aws-proxy", environment, logFile });
  return toPart(`http://127.0.0.1:${port}`, running);
}
