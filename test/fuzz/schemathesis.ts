import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonVenv } from "@gantry/local-stack";
import type { Document } from "./existing-ids.js";
import type { Caller } from "./target.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const gantry = fileURLToPath(new URL("../../.gantry", import.meta.url));
const requirements = join(here, "requirements.txt");

/*
 * What is no fault here: a value of the right form may still be refused for what it means, and what was deleted, or is
 * being made, can be read.
 */
const EXCLUDED_CHECKS = [
  "positive_data_acceptance",
  "use_after_free",
  "ensure_resource_availability",
  "object_level_authorization",
];

/** Python programs that know nothing of Gantry, installed once for each list of their versions. */
export async function installSchemathesis({
  baseUrl,
  report,
}: {
  baseUrl: string;
  report: (sentence: string) => void;
}) {
  const versions = createHash("sha256").update(readFileSync(requirements)).digest("hex").slice(0, 12);
  const python = await pythonVenv({
    name: "Schemathesis",
    install: ["--requirement", requirements],
    neededBy: "The fuzzing",
    alternative: "leave it out with --only and the names of the other checks",
    home: join(gantry, "python", `fuzz-${versions}`),
    environment: process.env,
    report,
  });

  // In a folder that goes: what the programs keep for another time stays out of the tree.
  async function run(cwd: string, words: string[]): Promise<boolean> {
    const child = spawn(python, words, { cwd, stdio: "inherit" });
    const [code] = await once(child, "exit");
    return code === 0;
  }

  async function withFile(
    document: Document,
    act: (folder: string, file: string) => Promise<boolean>,
  ): Promise<boolean> {
    mkdirSync(gantry, { recursive: true });
    const folder = mkdtempSync(join(gantry, "fuzz-"));
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    try {
      return await act(folder, file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  return {
    /** True where the document is OpenAPI. */
    validate: (document: Document) =>
      withFile(document, (folder, file) => run(folder, ["-m", "openapi_spec_validator", file])),
    /** True where the API, asked in all ways that the document allows and some that it does not, keeps to it. */
    drive: ({ token, document }: Caller, options: string[]) =>
      withFile(document, (folder, file) =>
        run(folder, [
          ...["-m", "schemathesis.cli", "--config-file", join(here, "schemathesis.toml"), "run", file],
          ...["--url", baseUrl, "--header", `Authorization: Bearer ${token}`],
          ...["--exclude-checks", EXCLUDED_CHECKS.join(","), "--continue-on-failure"],
          ...["--generation-database", "none", "--no-color", "--warnings", "off", ...options],
        ]),
      ),
  };
}
