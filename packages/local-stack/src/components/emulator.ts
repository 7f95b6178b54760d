import { existsSync, mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { CERTIFICATE_AUTHORITIES } from "../aws-proxy/catalogue/certificate-authorities.js";
import { startOnPort } from "../ports.js";
import { childEnvironment } from "../processes/child-environment.js";
import { startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, toComponent } from "./component.js";
import { pythonVenv, venvHome } from "./python-venv.js";

export interface EmulatorOptions extends ComponentOptions {
  /** The folder of the emulator's virtual environment, which later runs reuse. */
  cache: string;
  report?: (sentence: string) => void;
}

const REQUIREMENTS = fileURLToPath(new URL("../../moto-requirements.txt", import.meta.url));
/** A Python program that starts moto with changes to its behaviour and its speed. */
const LAUNCHER = fileURLToPath(new URL("../../moto-launcher", import.meta.url));
/** What moto prints once it accepts connections. */
const MOTO_LISTENS = "moto accepts connections";

/** The folder of the emulator's Python environment in `cache`. */
export function emulatorHome(cache: string): string {
  return venvHome(cache, "moto", REQUIREMENTS);
}

const SETTINGS = {
  MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: "true",
  MOTO_ENABLE_KEYPAIR_VALIDATION: "true",
  MOTO_ENABLE_AMI_VALIDATION: "true",
  MOTO_IAM_LOAD_MANAGED_POLICIES: "true",
  RDS_CERTIFICATE_AUTHORITIES: CERTIFICATE_AUTHORITIES.join(","),
};

/** Starts moto, the AWS emulator, on 127.0.0.1, with all data in memory. Throws an Error with a remedy. */
export async function startEmulator(options: EmulatorOptions): Promise<Component> {
  const { folder, cache, environment, report = () => undefined } = options;
  const home = emulatorHome(cache);
  mkdirSync(folder, { recursive: true });
  const logFile = join(folder, "moto.log");
  const start = async (port: number) => {
    const python = await pythonVenv({
      name: "moto",
      requirements: REQUIREMENTS,
      neededBy: "The AWS emulator",
      alternative: "set AWS_ENDPOINT_URL to an AWS endpoint of yours",
      home,
      environment,
      report,
    });
    const running = await startProcess({
      name: "moto",
      command: python,
      args: [LAUNCHER, String(port), MOTO_LISTENS],
      environment: { ...childEnvironment(environment), ...SETTINGS },
      logFile,
      ready: async () => assertListening(logFile),
    });
    return toComponent(`http://127.0.0.1:${port}`, running);
  };
  return startOnPort(options, start).catch((error: Error) => {
    if (!existsSync(home) || !/No module named/.test(error.message)) throw error;
    rmSync(home, { recursive: true, force: true });
    return startOnPort(options, start);
  });
}

/** Reads the log, as a server of another program on the same port would answer a call too. */
function assertListening(logFile: string): void {
  if (!readFileSync(logFile, "utf8").includes(MOTO_LISTENS)) throw new Error("moto does not listen yet.");
}
