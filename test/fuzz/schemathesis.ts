import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pythonVenv, venvHome } from "@gantry/local-stack";
import type { Document } from "./existing-ids.js";
import type { Caller } from "./target.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const gantry = fileURLToPath(new URL("../../.gantry", import.meta.url));
const requirements = join(here, "requirements.txt");

/*
 * These checks do not apply: the API rejects some values that the schema allows, and serves deleted records and those of
 * resources in creation.
 */
const EXCLUDED_CHECKS = [
  "positive_data_acceptance",
  "use_after_free",
  "ensure_resource_availability",
  "object_level_authorization",
];

/** Installs Schemathesis and a validator of OpenAPI documents, once for each list of versions. */
export async function installSchemathesis({
  baseUrl,
  report,
}: {
  baseUrl: string;
  report: (sentence: string) => void;
}) {
  const python = await pythonVenv({
    name: "Schemathesis",
    requirements,
    neededBy: "The fuzzing",
    alternative: "leave it out with --only and the names of the other checks",
    home: venvHome(join(gantry, "python"), "fuzz", requirements),
    environment: process.env,
    report,
  });

  async function runPython(cwd: string, args: string[]): Promise<boolean> {
    const child = spawn(python, args, { cwd, stdio: "inherit" });
    const [code] = await once(child, "exit");
    return code === 0;
  }

  // The programs write their caches to the temporary folder.
  async function withFile(
    document: Document,
    use: (folder: string, file: string) => Promise<boolean>,
  ): Promise<boolean> {
    mkdirSync(gantry, { recursive: true });
    const folder = mkdtempSync(join(gantry, "fuzz-"));
    const file = join(folder, "openapi.json");
    writeFileSync(file, JSON.stringify(document));
    try {
      return await use(folder, file);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  return {
    /** Returns true for a valid OpenAPI document. */
    validate: (document: Document) =>
      withFile(document, (folder, file) => runPython(folder, ["-m", "openapi_spec_validator", file])),
    /** Sends valid and invalid inputs to the API; returns true when all responses conform to the document. */
    run: ({ token, document }: Caller, options: string[]) =>
      withFile(document, (folder, file) =>
        runPython(folder, [
          ...["-m", "schemathesis.cli", "--config-file", join(here, "schemathesis.toml"), "run", file],
          ...["--url", baseUrl, "--header", `Authorization: Bearer ${token}`],
          ...["--exclude-checks", EXCLUDED_CHECKS.join(","), "--continue-on-failure"],
          ...["--generation-database", "none", "--no-color", "--warnings", "off", ...options],
        ]),
      ),
  };
}
