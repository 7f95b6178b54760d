import { execFile } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./programs.js";

export interface PythonPackageOptions {
  /** The requirement as pip reads it, pinned: `moto[server]==5.2.3`. */
  requirement: string;
  /** The folder of the virtual environment. */
  home: string;
  environment: NodeJS.ProcessEnv;
  report: (sentence: string) => void;
}

const run = promisify(execFile);
const OLDEST_MINOR = 10;
const NAMES = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

/**
 * Gives the Python of a virtual environment that holds one package, made when missing: aside and then renamed, so
 * that a crash in between leaves no half of it. Throws one sentence when Python or the package cannot be had.
 */
export async function pythonWith({ requirement, home, environment, report }: PythonPackageOptions): Promise<string> {
  const python = pythonOf(home);
  if (existsSync(python)) return python;
  rmSync(home, { recursive: true, force: true });
  const base = await findPython(environment);
  report(`Installing ${requirement} for the AWS emulator; this happens once and takes about half a minute.`);
  mkdirSync(dirname(home), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    await orElse(
      run(base, ["-m", "venv", draft], { env: environment }),
      (reason) =>
        `Python could not make a virtual environment (${reason}): install the package python3-venv, or set AWS_ENDPOINT_URL.`,
    );
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", requirement];
    await orElse(
      run(pythonOf(draft), pip, { env: environment }),
      (reason) =>
        `pip could not install ${requirement} (${reason}): check the network or pip's index, or set AWS_ENDPOINT_URL.`,
    );
    if (!existsSync(home)) renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return python;
}

function pythonOf(home: string): string {
  return join(home, "bin", "python");
}

async function findPython(environment: NodeJS.ProcessEnv): Promise<string> {
  const found: string[] = [];
  for (const name of NAMES) {
    const program = findProgram([name], environment);
    const version = program && (await versionOf(program, environment));
    const [major = 0, minor = 0] = (version || "").split(".").map(Number);
    if (program && (major > 3 || (major === 3 && minor >= OLDEST_MINOR))) return program;
    if (version) found.push(version);
  }
  const seen = found.length > 0 ? `found only ${[...new Set(found)].join(", ")}` : "found none";
  throw new Error(
    `The AWS emulator needs Python 3.${OLDEST_MINOR} or newer on PATH (${seen}): install it, or set AWS_ENDPOINT_URL to an AWS endpoint of yours.`,
  );
}

async function versionOf(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const question = "import platform; print(platform.python_version())";
  return run(program, ["-c", question], { env: environment }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

async function orElse<T>(attempt: Promise<T>, sentence: (reason: string) => string): Promise<T> {
  return attempt.catch((error: Error & { stderr?: string; stdout?: string }) => {
    const output = `${error.stdout ?? ""}\n${error.stderr ?? ""}`.trim() || error.message;
    throw new Error(sentence(output.split("\n").at(-1) ?? ""), { cause: error });
  });
}
