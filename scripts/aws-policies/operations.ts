import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const IMPORT = /import\s+(?:type\s+)?\{([^}]*)\}\s+from\s+"@aws-sdk\/client-([\w-]+)"/g;

/** Operations that AWS lets every caller make: no policy can allow or deny them. */
const WITHOUT_PERMISSION = new Set(["sts:GetCallerIdentity"]);

/**
 * The operations that the sources below a folder call, as IAM names their actions (`ec2:RunInstances`), sorted. Tests and
 * scenarios do not count: they act with the test's own credentials.
 *
 * @throws Error where a source imports a paginator or a waiter, which hide the operations that they call
 */
export function readOperations(folder: string): string[] {
  const found = new Set<string>();
  for (const file of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!file.endsWith(".ts") || /\.(test|scenarios)\.ts$/.test(file)) continue;
    for (const action of operationsIn(readFileSync(join(folder, file), "utf8"), file)) found.add(action);
  }
  return [...found].filter((action) => !WITHOUT_PERMISSION.has(action)).sort();
}

/** The operations whose commands a source imports. IAM's name of a service is the client's without hyphens. */
export function operationsIn(source: string, file: string): string[] {
  if (/import\s+\*\s+as\s+\w+\s+from\s+"@aws-sdk\/client-/.test(source)) {
    throw new Error(`${file} imports a whole AWS client: import its commands by their names.`);
  }
  return [...source.matchAll(IMPORT)].flatMap(([, names = "", client = ""]) => {
    const imported = names.split(",").map((name) => name.trim().split(/\s+as\s+/)[0] ?? "");
    const hidden = imported.find((name) => /^(paginate|waitUntil|waitFor)/.test(name));
    if (hidden) throw new Error(`${file} imports ${hidden}: import the command that it sends.`);
    const commands = imported.filter((name) => /^[A-Z]\w+Command$/.test(name));
    return commands.map((name) => `${client.replaceAll("-", "")}:${name.replace(/Command$/, "")}`);
  });
}
