import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
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
const UV_REQUIREMENTS = fileURLToPath(new URL("../../uv-requirements.txt", import.meta.url));
/** The options of both installers: a file of requirements names all packages, so that nothing is left to resolve. */
const HASHED = ["--no-deps", "--require-hashes", "--requirement"];
const PIP_INSTALL = ["-m", "pip", "install", "--quiet", "--no-input", "--disable-pip-version-check", "--no-compile"];
/** The variables of uv for settings of pip, which uv does not read. */
const UV_SETTINGS: Record<string, string> = {
  "index-url": "UV_DEFAULT_INDEX",
  "extra-index-url": "UV_INDEX",
  "find-links": "UV_FIND_LINKS",
  cert: "SSL_CERT_FILE",
  proxy: "ALL_PROXY",
};
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
  const { name, home, report } = options;
  const python = pythonOf(home);
  if (existsSync(python)) return python;
  rmSync(home, { recursive: true, force: true });
  const base = await findPython(options);
  const startedAt = Date.now();
  mkdirSync(dirname(home), { recursive: true });
  const draft = mkdtempSync(`${home}-draft-`);
  try {
    // uv takes a tenth of pip's time, but needs a Python with pip and a platform for which it has a wheel.
    await installWithUv(base, draft, options).catch(() => installWithPip(base, draft, options));
    if (!existsSync(home)) renameSync(draft, home);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  report(`${name} installed after ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
  return python;
}

async function installWithUv(base: string, draft: string, { requirements, environment }: PythonVenvOptions) {
  const settings = uvSettings((await run(base, ["-m", "pip", "config", "list"], { env: environment })).stdout);
  await run(base, ["-m", "venv", "--without-pip", draft], { env: environment });
  const uv = join(draft, "uv");
  await run(base, [...PIP_INSTALL, ...HASHED, UV_REQUIREMENTS, "--target", uv], { env: environment });
  await run(join(uv, "bin", "uv"), ["pip", "install", "--python", pythonOf(draft), ...HASHED, requirements], {
    env: { ...environment, ...settings },
  });
  rmSync(uv, { recursive: true });
}

/** Returns uv's variables for what `pip config list` prints, such as `global.index-url='https://pypi.org/simple'`. */
function uvSettings(configuration: string): Record<string, string> {
  const entries = [...configuration.matchAll(/^[^\n=]*\.([\w-]+)='(.*)'$/gm)].flatMap(([, name = "", value = ""]) => {
    const variable = UV_SETTINGS[name];
    return variable ? [[variable, value.replaceAll("\\n", " ").trim()] as const] : [];
  });
  return Object.fromEntries(entries);
}

async function installWithPip(base: string, draft: string, options: PythonVenvOptions) {
  const { name, requirements, alternative, environment } = options;
  await withReason(
    run(base, ["-m", "venv", "--clear", draft], { env: environment }),
    (reason) =>
      `Python could not make a virtual environment (${reason}): install the package python3-venv, or ${alternative}.`,
  );
  await withReason(
    run(pythonOf(draft), [...PIP_INSTALL, ...HASHED, requirements], { env: environment }),
    (reason) => `pip could not install ${name} (${reason}): check the network or pip's index, or ${alternative}.`,
  );
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
