import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "@gantry/local-stack";
import { afterAll, afterEach, beforeAll, expect, it } from "@jest/globals";
import { awsEndpoint, cloneDatabase, redisUrl, type TestDatabase } from "../test/support/stack.js";
import { type App, startApp } from "./processes.js";

let database: TestDatabase;
let folder: string;
let app: App;

beforeAll(async () => {
  database = await cloneDatabase();
  folder = mkdtempSync(join(tmpdir(), "gantry-dev-"));
});
afterEach(() => app.stop());
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

it.each<[App["name"], string]>([
  ["api", "apps/api/src/http/paging.ts"],
  ["worker", "packages/runtime/src/log.ts"],
])("the %s restarts when a source that it has loaded changes", async (name, source) => {
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    AWS_ENDPOINT_URL: awsEndpoint,
    MASTER_KEY: Buffer.alloc(32).toString("base64"),
    BASE_URL: "http://gantry.test",
    QUEUE_PREFIX: `{${name}-restarts}`,
    PORT: String(await freePort()),
  };
  app = await startApp(name, env, folder, { isWatched: true });
  const restarted = new Promise((resolve) => {
    app.process.on("message", (message) => {
      if (JSON.stringify(message) === JSON.stringify(app.ready)) resolve(message);
    });
  });
  touch(source);
  expect(await restarted).toEqual(app.ready);
});

/** Tells a file's watchers of a change, and changes nothing. */
function touch(source: string): void {
  const file = fileURLToPath(new URL(`../${source}`, import.meta.url));
  const { atime, mtime } = statSync(file);
  utimesSync(file, atime, mtime);
}
