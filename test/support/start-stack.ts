import { execFileSync } from "node:child_process";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { prepareDatabase } from "@gantry/db";
import { appDatabaseUrl, startLocalStack } from "@gantry/local-stack";

/** The folder of the migrations. */
export const migrations = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

// The cache outlives the run: an install of the emulator takes half a minute.
const cache = fileURLToPath(new URL("../../.gantry/python", import.meta.url));

/** Starts one PostgreSQL, one Redis and one emulator for the whole run, and migrates the template database. Returns what ends them. */
export default async function setUp(): Promise<() => Promise<void>> {
  process.env.GANTRY_TEST_SEED ||= currentCommit();
  const folder = join(tmpdir(), `gantry-test-${process.pid}`);
  const stack = await startLocalStack({ folder, environment: process.env, ephemeral: true, cache, catalogue: "both" });
  const template = new URL(stack.databaseUrl);
  template.pathname = `/gantry_template_${process.pid}`;
  const appUrl = appDatabaseUrl(template.toString(), folder);
  await prepareDatabase(template.toString(), appUrl, migrations);
  process.env.TEST_TEMPLATE_URL = template.toString();
  process.env.TEST_APP_URL = appUrl;
  process.env.TEST_REDIS_URL = stack.redisUrl;
  process.env.TEST_AWS_ENDPOINT = stack.awsEndpoint;
  process.env.AWS_ENDPOINT_URL = stack.awsEndpoint;
  return async () => {
    await stack.stop().finally(() => rm(folder, { recursive: true, force: true }));
  };
}

/** The seed of the sampled cases; an export of the sources has no history, and always draws the same ones. */
function currentCommit(): string {
  try {
    return execFileSync("git", ["rev-parse", "HEAD"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
  } catch {
    return "no commit";
  }
}
