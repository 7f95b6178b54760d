// Writes the list of all packages that run in production, with their licences and hashes (CycloneDX), to .gantry/sbom.json.
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { runPnpm } from "./pnpm.mjs";

/** SPDX ids of licenses compatible with how Gantry uses packages. */
const LICENCES = new Set([
  "0BSD",
  "Apache-2.0",
  "BlueOak-1.0.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "CC-BY-4.0",
  "ISC",
  "MIT",
  "MPL-2.0",
  "PostgreSQL",
  "Unlicense",
]);

const root = join(import.meta.dirname, "..");
const isCheck = process.argv.includes("--check");
const file = join(root, ".gantry/sbom.json");

mkdirSync(join(root, ".gantry"), { recursive: true });
const words = ["sbom", "--sbom-format", "cyclonedx", "--sbom-type", "application", "--prod", "--out", file];
const { status, output } = await runPnpm({ root, env: process.env, words });
if (status !== 0) fail(`pnpm did not list the packages.\n${output}`);
const { components } = JSON.parse(readFileSync(file, "utf8"));
const packages = components.filter(({ group }) => group !== "@gantry");
if (!isCheck) console.log(`Wrote ${packages.length} packages to ${file}.`);

const problems = [...packages.flatMap(licenceProblem), ...lockfileProblems()];
if (problems.length > 0) fail(problems.join("\n"));

function licenceProblem({ group, name, version, licenses = [] }) {
  const found = licenses.map(({ license, expression }) => expression ?? license.id ?? license.name);
  // One of several licences suffices.
  const choices = found.flatMap((text) => text.replace(/[()]/g, "").split(" OR "));
  if (choices.some((choice) => choice.split(" AND ").every((id) => LICENCES.has(id)))) return [];
  const title = `${group ? `${group}/` : ""}${name}@${version}`;
  return [
    `${title} has the license ${found.join(", ") || "none"}; remove the package, or allow the license in scripts/sbom.mjs.`,
  ];
}

/** Each package has a hash and comes from the registry, not from git or a URL. */
function lockfileProblems() {
  const lines = readFileSync(join(root, "pnpm-lock.yaml"), "utf8").split("\n");
  const resolutions = lines.flatMap((line, index) => (/^ {4}resolution:/.test(line) ? [index] : []));
  if (resolutions.length === 0) return ["pnpm-lock.yaml lists no packages."];
  return resolutions
    .filter((index) => !/^ {4}resolution: \{integrity: sha512-[\w+/]+=*\}$/.test(lines[index]))
    .map(
      (index) => `pnpm-lock.yaml:${index + 1} ${lines[index - 1].trim()} is not pinned by a hash from the registry.`,
    );
}

function fail(sentences) {
  console.error(sentences);
  process.exit(1);
}
