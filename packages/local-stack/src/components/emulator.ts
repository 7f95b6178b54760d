import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { childEnvironment } from "../processes/child-environment.js";
import { startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, freePort, toComponent } from "./component.js";
import { MOTO_LAUNCHER } from "./moto-launcher.js";
import { pythonVenv, venvHome } from "./python-venv.js";

export interface EmulatorOptions extends ComponentOptions {
  /** The folder of the emulator's virtual environment, which later runs reuse. */
  cache: string;
  report?: (sentence: string) => void;
}

const REQUIREMENTS = fileURLToPath(new URL("../../moto-requirements.txt", import.meta.url));

/** The folder of the emulator's Python environment in `cache`. */
export function emulatorHome(cache: string): string {
  return venvHome(cache, "moto", REQUIREMENTS);
}

const SETTINGS = {
  MOTO_EC2_ENABLE_INSTANCE_TYPE_VALIDATION: "true",
  MOTO_ENABLE_KEYPAIR_VALIDATION: "true",
  MOTO_ENABLE_AMI_VALIDATION: "true",
  MOTO_IAM_LOAD_MANAGED_POLICIES: "true",
};

/** Starts moto, the AWS emulator, on 127.0.0.1, with all data in memory. Throws an Error with a remedy. */
export async function startEmulator(options: EmulatorOptions): Promise<Component> {
  const { folder, cache, environment, report = () => undefined } = options;
  const port = options.port ?? (await freePort());
  const home = emulatorHome(cache);
  mkdirSync(folder, { recursive: true });
  const start = async () => {
    const python = await pythonVenv({
      name: "moto",
      requirements: REQUIREMENTS,
      neededBy: "The AWS emulator",
      alternative: "set AWS_ENDPOINT_URL to an AWS endpoint of yours",
      home,
      environment,
      report,
    });
    return startProcess({
      name: "moto",
      command: python,
      args: ["-c", MOTO_LAUNCHER, String(port)],
      environment: { ...childEnvironment(environment), ...SETTINGS },
      logFile: join(folder, "moto.log"),
      ready: () => fetch(`http://127.0.0.1:${port}/moto-api/data.json`, { method: "HEAD" }),
    });
  };
  const running = await start().catch((error: Error) => {
    if (!existsSync(home) || !/No module named/.test(error.message)) throw error;
    rmSync(home, { recursive: true, force: true });
    return start();
  });
  return toComponent(`http://127.0.0.1:${port}`, running);
}
