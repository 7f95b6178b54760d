import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { policyFiles } from "./aws-policies/files.js";
import { readOperations } from "./aws-policies/operations.js";
import { withStatements } from "./aws-policies/statements-page.js";

const USAGE = `Usage: npm run policies [-- --check]

Writes docs/aws/: the policies of a provider's role, of the worker and the boundary of roles, from the operations that the
worker's sources call. Writes the statements of these policies into docs/aws-permissions.md. With --check, writes nothing and only lists the files that differ.`;

const root = join(import.meta.dirname, "..");
const folder = join(root, "docs/aws");
const page = join(root, "docs/aws-permissions.md");
const [word] = process.argv.slice(2);

if (word !== undefined && word !== "--check") {
  console.log(USAGE);
  process.exitCode = word === "--help" ? 0 : 2;
} else {
  const policies = Object.entries(policyFiles(readOperations(join(root, "apps/worker/src"))));
  const files = [
    ...policies.map(([name, content]) => [join(folder, name), content] as const),
    [page, withStatements(readFileSync(page, "utf8"))] as const,
  ];
  const differing = files.filter(([file, content]) => read(file) !== content);
  if (word === "--check") {
    for (const [file] of differing) console.error(`${relative(root, file)} is out of date; run npm run policies.`);
    process.exitCode = differing.length > 0 ? 1 : 0;
  } else {
    mkdirSync(folder, { recursive: true });
    for (const [file, content] of differing) writeFileSync(file, content);
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}
