import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const IMPORT = /import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"@aws-sdk\/client-([\w-]+)"/g;

// AWS lets every caller ask who it is. The worker assumes roles with its own identity, whose policy is gantry-worker.
const NOT_OF_THE_ROLE = new Set(["sts:GetCallerIdentity", "sts:AssumeRole"]);

/**
 * The operations that the sources below a folder call, as IAM names their actions (`ec2:RunInstances`), sorted. Tests and
 * scenarios do not count: they act with the test's own credentials.
 *
 * @throws Error if a source imports a waiter, which hides the operation that it calls
 */
export function readOperations(folder: string): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /\.(test|scenarios)\.ts$/.test(file)) continue;
    for (const action of operationsIn(readFileSync(join(folder, file), "utf8"), file)) found.add(action);
  }
  return [...found].filter((action) => !NOT_OF_THE_ROLE.has(action)).sort();
}

/** The operations whose commands or paginators a source imports. IAM's name of a service is the client's without hyphens. */
export function operationsIn(source: string, file: string): string[] {
  if (/import\s+\*\s+as\s+\w+\s+from\s+"@aws-sdk\/client-/.test(source)) {
    throw new Error(`${file} imports a whole AWS client; import its commands by name.`);
  }
  return [...source.matchAll(IMPORT)].flatMap(([, names = "", client = ""]) => {
    const imported = names.split(",").map((name) => name.trim().split(/\s+as\s+/)[0] ?? "");
    const hidden = imported.find((name) => /^(waitUntil|waitFor)/.test(name));
    if (hidden) throw new Error(`${file} imports ${hidden}; import the command that it sends.`);
    const operations = imported.flatMap((name) => /^(?:paginate(\w+)|([A-Z]\w+)Command)$/.exec(name)?.slice(1) ?? []);
    return operations.filter(Boolean).map((operation) => `${client.replaceAll("-", "")}:${operation}`);
  });
}
