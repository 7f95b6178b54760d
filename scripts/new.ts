import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { newEndpoint } from "./new/endpoint.js";
import { newResource } from "./new/resource.js";
import { type Plan, root } from "./new/source.js";
import { newWorkflow } from "./new/workflow.js";

const USAGE = `Usage: npm run new -- workflow TYPE | endpoint RESOURCES/ACT | resource NAME

  workflow enable_network_dns     a request type, its workflow, its scenario and its ending
  endpoint networks/enable-dns    POST /networks/:network/enable-dns
  resource support-contact        a model, a record and endpoints below /support-contacts

The files are written from the templates in scripts/new. If the name exists or is malformed, nothing changes.`;

const KINDS: Readonly<Record<string, (name: string) => Plan>> = {
  workflow: newWorkflow,
  endpoint: newEndpoint,
  resource: newResource,
};

const [kind = "--help", name, ...rest] = process.argv.slice(2);
const plan = KINDS[kind];
if ([kind, name].includes("--help")) console.log(USAGE);
else if (!plan || !name || rest.length > 0) fail(USAGE);
else {
  try {
    write(plan(name));
  } catch (error) {
    fail((error as Error).message);
  }
}

function write({ files, next }: Plan): void {
  for (const [file, text] of Object.entries(files)) {
    const path = join(root, file);
    console.log(`${existsSync(path) ? "changed" : "created"} ${file}`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  // The formatter also puts each new import into its place.
  const biome = join(root, "node_modules/@biomejs/biome/bin/biome");
  const sources = Object.keys(files).filter((file) => file.endsWith(".ts"));
  const words = [biome, "check", "--write", "--linter-enabled=false", ...sources];
  const { status, stderr } = spawnSync(process.execPath, words, { cwd: root, encoding: "utf8" });
  if (status !== 0) throw new Error(`the new files could not be formatted:\n${stderr}`);
  console.log(`\nNext:\n${next.map((step, i) => `${i + 1}. ${step}`).join("\n")}`);
}

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 2;
}
