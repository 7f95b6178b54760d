import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { findProgram } from "./programs.js";

export interface PythonVenvOptions {
  /** The name of the software, for messages. */
  name: string;
  /** The file with the versions of all its packages and the hashes of their files. */
  requirements: string;
  /** The subject of the sentence "… needs Python", for messages. */
  neededBy: string;
  /** The end of the sentence "install Python, or …", for messages. */
  alternative: string;
  /** The folder of the virtual environment. */
  home: string;
  environment: NodeJS.ProcessEnv;
  report: (sentence: string) => void;
}

const run = promisify(execFile);
const MIN_MINOR = 10;
const NAMES = ["python3", "python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python"];

/** The folder in `cache` for the virtual environment of a file of requirements: another list has another folder. */
export function venvHome(cache: string, name: string, requirements: string): string {
  const versions = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  return join(cache, `${name}-${versions}`);
}

/**
 * Returns the Python of a virtual environment with the packages, and creates the environment when missing: under
 * another name and then renamed, so that a crash leaves no incomplete one. Throws an Error with a remedy.
 */
export async function pythonVenv(options: PythonVenvOptions): Promise<string> {
  const { name, requirements, alternative, home, environment, report } = options;
  const python = pythonOf(home);
  if (existsSync(python)) return python;
  rmSync(home, { recursive: true, force: true });
  const base = await findPython(options);
  report(`Installing ${name}; this happens once and takes about half a minute.`);
  mkdirSync(dirname(home), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    await withReason(
      run(base, ["-m", "venv", draft], { env: environment }),
      (reason) =>
        `Python could not make a virtual environment (${reason}): install the package python3-venv, or ${alternative}.`,
    );
    const pip = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check"];
    const hashed = ["--require-hashes", "--requirement", requirements];
    await withReason(
      run(pythonOf(draft), [...pip, ...hashed], { env: environment }),
      (reason) => `pip could not install ${name} (${reason}): check the network or pip's index, or ${alternative}.`,
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

async function findPython({ environment, neededBy, alternative }: PythonVenvOptions): Promise<string> {
  const found: string[] = [];
  for (const name of NAMES) {
    const program = findProgram([name], environment);
    const version = program && (await versionOf(program, environment));
    const [major = 0, minor = 0] = (version || "").split(".").map(Number);
    if (program && (major > 3 || (major === 3 && minor >= MIN_MINOR))) return program;
    if (version) found.push(version);
  }
  const versions = found.length > 0 ? `found only ${[...new Set(found)].join(", ")}` : "found none";
  throw new Error(
    `${neededBy} needs Python 3.${MIN_MINOR} or newer on PATH (${versions}): install it, or ${alternative}.`,
  );
}

async function versionOf(program: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const script = "import platform; print(platform.python_version())";
  return run(program, ["-c", script], { env: environment }).then(
    ({ stdout }) => stdout.trim(),
    () => undefined,
  );
}

async function withReason<T>(command: Promise<T>, message: (reason: string) => string): Promise<T> {
  return command.catch((error: Error & { stderr?: string; stdout?: string }) => {
    const output = `${error.stdout ?? ""}\n${error.stderr ?? ""}`.trim() || error.message;
    throw new Error(message(output.split("\n").at(-1) ?? ""), { cause: error });
  });
}
