import { execFile } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

/** A command of a page, what the page shows as its answer, and what it answered. */
export interface Snippet {
  command: string;
  shown?: string;
  /** The status that the page names for its last call, as in "```json 409". */
  status?: number;
  answered: string;
  /** The status of its last call. */
  answeredStatus: number;
}

const MARK = "--- the next command of the page ---";

/** Replaces curl: prints the status of each call on the standard error. */
const CURL = `curl() { command curl -w '%{stderr}%{http_code}\\n' "$@"; }`;

/** Replaces jq, which may be missing: prints one field of the JSON on its standard input. */
const JQ = `#!${process.execPath}
const path = process.argv.at(-1).split(/[.[\\]]+/).filter(Boolean);
const value = path.reduce((object, key) => object[key], JSON.parse(require("node:fs").readFileSync(0, "utf8")));
console.log(typeof value === "string" ? value : JSON.stringify(value));
`;

/**
 * Runs a page's shell blocks in order, in one shell, as a reader would.
 *
 * @throws if a command fails
 */
export async function runSnippets(page: string, variables: Record<string, string>): Promise<Snippet[]> {
  const text = await readFile(page, "utf8");
  const blocks = [...text.matchAll(/^```sh\n([\s\S]*?)^```$(?:\n\n```json(?: (\d+))?\n([\s\S]*?)^```$)?/gm)];
  const folder = await mkdtemp(join(tmpdir(), "gantry-snippets-"));
  try {
    await writeFile(join(folder, "jq"), JQ);
    await chmod(join(folder, "jq"), 0o755);
    const script = [
      "set -eu",
      CURL,
      ...blocks.map(([, command]) => `${command}\necho "${MARK}"; echo "${MARK}" >&2`),
    ].join("\n");
    const environment = { ...process.env, ...variables, PATH: `${folder}:${variables.PATH ?? process.env.PATH}` };
    const { stdout, stderr } = await promisify(execFile)("bash", ["-c", script], { env: environment });
    const [answers, statuses] = [stdout, stderr].map((text) => text.split(`${MARK}\n`)) as [string[], string[]];
    return blocks.map(([, command = "", status, shown], i) => ({
      command,
      ...(shown !== undefined && { shown }),
      ...(status !== undefined && { status: Number(status) }),
      answered: answers[i] ?? "",
      answeredStatus: Number(statuses[i]?.trim().split("\n").at(-1)),
    }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The paths of fields that one value has and another lacks or has in another type; elements of lists are compared with the first. */
export function missingFields(shown: unknown, answered: unknown, path = ""): string[] {
  if (Array.isArray(shown)) {
    if (!Array.isArray(answered)) return [path];
    return shown.flatMap((each) =>
      answered.length > 0 ? missingFields(each, answered[0], `${path}[]`) : [`${path}[]`],
    );
  }
  if (typeof shown === "object" && shown !== null) {
    if (typeof answered !== "object" || answered === null) return [path];
    const fields = answered as Record<string, unknown>;
    return Object.entries(shown).flatMap(([name, value]) =>
      name in fields ? missingFields(value, fields[name], `${path}.${name}`) : [`${path}.${name}`],
    );
  }
  return shown === null || answered === null || typeof shown === typeof answered ? [] : [path];
}
