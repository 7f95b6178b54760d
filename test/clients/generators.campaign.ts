import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { pythonVenv, venvHome } from "@gantry/local-stack";
import { type LiveGantry, startLiveGantry } from "../support/live.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../../", import.meta.url));
const document = join(root, "openapi.json");
const generated = join(here, "generated");
const bin = (name: string) => join(here, "node_modules/.bin", name);
const requirements = join(here, "requirements.txt");

interface Operations {
  paths: Record<string, Record<string, { operationId: string; responses: Record<string, { content?: object }> }>>;
}

const LINES = "application/x-ndjson";

const { paths } = JSON.parse(readFileSync(document, "utf8")) as Operations;
const operationIds = Object.values(paths).flatMap((each) => Object.values(each).map(({ operationId }) => operationId));

/** The routes that reply with lines of JSON, a content type that generators of clients may not know. */
const routesOfLines = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([, { responses }]) => Object.values(responses).some(({ content }) => content && LINES in content))
    .map(([method]) => `${method.toUpperCase()} ${path}`),
);

let gantry: LiveGantry;
let variables: Record<string, string>;

beforeAll(async () => {
  rmSync(generated, { recursive: true, force: true });
  mkdirSync(generated);
  gantry = await startLiveGantry();
  const { providerId } = await gantry.addProvider();
  variables = { GANTRY_URL: gantry.url, GANTRY_TOKEN: gantry.owner.token, GANTRY_PROVIDER: String(providerId) };
});
afterAll(async () => {
  await gantry.close();
  rmSync(generated, { recursive: true, force: true });
});

/** Returns what the program wrote to its output, without the lines of its errors and warnings. */
async function run(program: string, words: string[], more: Record<string, string> = {}): Promise<string> {
  return (await runWith(program, words, more)).stdout;
}

async function runWith(program: string, words: string[], more: Record<string, string> = {}) {
  try {
    return await promisify(execFile)(program, words, { cwd: here, env: { ...process.env, ...more } });
  } catch (error) {
    const { message, stdout, stderr } = error as Error & { stdout?: string; stderr?: string };
    throw new Error(`${message}\n${stdout}\n${stderr}`);
  }
}

/** Checks the types of a script with those of its client, and runs it. */
async function provisionByTypeScript(script: string): Promise<string> {
  const options = ["--strict", "--module", "nodenext", "--target", "es2023", "--skipLibCheck", "--types", "node"];
  const outDir = join(generated, `${script}-built`);
  await run(bin("tsc"), [...options, "--rootDir", here, "--outDir", outDir, `scripts/${script}.ts`]);
  return run(process.execPath, [join(outDir, "scripts", `${script}.js`)], variables);
}

async function expectProvisioned(output: string): Promise<void> {
  expect(output).toMatch(/^finished [\da-f-]{36}\nfinished\n$/);
  expect(await gantry.api.db.network.count({ where: { deletedAt: null } })).toBe(0);
}

describe("openapi.json", () => {
  it("meets the recommended rules of Redocly without a warning", async () => {
    const output = await run(bin("redocly"), ["lint", "--extends", "recommended", "--format", "json", document], {
      REDOCLY_TELEMETRY: "off",
      REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
    });
    const { totals, problems } = JSON.parse(output) as {
      totals: { errors: number; warnings: number };
      problems: unknown;
    };
    expect({ ...totals, problems }).toEqual({ errors: 0, warnings: 0, ignored: 0, problems: [] });
  });

  it("generates every operation by openapi-typescript, and the client provisions", async () => {
    const file = join(generated, "openapi-typescript.d.ts");
    await run(bin("openapi-typescript"), [document, "-o", file]);
    const text = readFileSync(file, "utf8");
    expect(operationIds.filter((name) => !text.includes(`operations["${name}"]`))).toEqual([]);
    await expectProvisioned(await provisionByTypeScript("openapi-typescript"));
  });

  it("generates every operation by hey-api, and the client provisions", async () => {
    await run(bin("openapi-ts"), ["-i", document, "-o", join(generated, "hey-api")]);
    const text = readFileSync(join(generated, "hey-api/sdk.gen.ts"), "utf8");
    expect(operationIds.filter((name) => !text.includes(`export const ${name} =`))).toEqual([]);
    await expectProvisioned(await provisionByTypeScript("hey-api"));
  });

  it("generates every operation and its model by openapi-python-client, and the client provisions", async () => {
    const python = await pythonVenv({
      name: "openapi-python-client",
      requirements,
      neededBy: "The generated client",
      alternative: "leave it out with --only and the names of the other checks",
      home: venvHome(join(root, ".gantry/python"), "clients", requirements),
      environment: process.env,
      report: () => {},
    });
    const output = join(generated, "gantry_client");
    const words = ["generate", "--path", document, "--output-path", output, "--meta", "none"];
    const { stderr } = await runWith(python, ["-c", "from openapi_python_client.cli import app; app()", ...words]);
    expect([...stderr.matchAll(/^WARNING parsing (\S+ \S+)/gm)].map(([, route]) => route).sort()).toEqual(
      routesOfLines.sort(),
    );
    expect(stderr).not.toContain("has resulted in the removal of");
    const files = await readdir(join(output, "api"), { recursive: true });
    const modules = new Set(files.map((file) => file.split("/").at(-1)));
    const fileOf = (name: string) => `${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}.py`;
    expect(operationIds.filter((name) => !modules.has(fileOf(name)))).toEqual([]);
    const environment = { ...variables, PYTHONPATH: generated };
    await expectProvisioned(await run(python, [join(here, "scripts/provision.py")], environment));
  });
});
