import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policyFiles } from "./aws-policies/files.js";
import { readOperations } from "./aws-policies/operations.js";

const USAGE = `Usage: npm run policies [-- --check]

Writes docs/aws/: the policies of a provider's role, of the worker and the boundary of roles, from the operations that the
worker's sources call. With --check, writes nothing and only lists the files that differ.`;

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/aws");
const [word] = process.argv.slice(2);

if (word !== undefined && word !== "--check") {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
} else {
  const files = Object.entries(policyFiles(readOperations(join(root, "apps/worker/src"))));
  const differing = files.filter(([name, content]) => read(join(folder, name)) !== content);
  if (word === "--check") {
    for (const [name] of differing) console.error(`docs/aws/${name} is out of date; run npm run policies.`);
    process.exitCode = differing.length > 0 ? 1 : 0;
  } else {
    mkdirSync(folder, { recursive: true });
    for (const [name, content] of differing) writeFileSync(join(folder, name), content);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
