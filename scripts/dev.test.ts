import { once } from "node:events";
import { mkdtempSync, rmSync, statSync, utimesSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PortInUse, startOnPort } from "@gantry/local-stack";
import { awsEndpoint, cloneDatabase, redisUrl, type TestDatabase } from "../test/support/stack.js";
import { type App, startApp } from "./processes.js";

let database: TestDatabase;
let folder: string;
let app: App | undefined;

beforeAll(async () => {
  database = await cloneDatabase();
  folder = mkdtempSync(join(tmpdir(), "gantry-dev-"));
});
afterEach(() => app?.stop());
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

const settings = (name: string) => ({
  DATABASE_URL: database.url,
  REDIS_URL: redisUrl,
  AWS_ENDPOINT_URL: awsEndpoint,
  MASTER_KEY: Buffer.alloc(32).toString("base64"),
  BASE_URL: "http://gantry.test",
  QUEUE_PREFIX: `{${name}-restarts}`,
});

it.each([true, false])("the api fails at once if its port is in use (watched: %s)", async (isWatched) => {
  const other = createServer();
  await once(other.listen(0, "127.0.0.1"), "listening");
  const { port } = other.address() as AddressInfo;
  try {
    const starting = startApp("api", { ...settings("api"), PORT: String(port) }, folder, { isWatched });
    await expect(starting).rejects.toThrow(PortInUse);
  } finally {
    other.close();
  }
});

it.each<[App["name"], string]>([
  ["api", "apps/api/src/http/lists/paging.ts"],
  ["worker", "packages/runtime/src/log.ts"],
])("the %s restarts when a source that it has loaded changes", async (name, source) => {
  const start = (port: number) =>
    startApp(name, { ...settings(name), PORT: String(port) }, folder, { isWatched: true });
  const watched = await startOnPort({}, start);
  app = watched;
  const restarted = new Promise((resolve) => {
    watched.process.on("message", (message) => {
      if (JSON.stringify(message) === JSON.stringify(watched.ready)) resolve(message);
    });
  });
  touch(source);
  expect(await restarted).toEqual(watched.ready);
});

/** Notifies a file's watchers of a change, and changes nothing. */
function touch(source: string): void {
  const file = fileURLToPath(new URL(`../${source}`, import.meta.url));
  const { atime, mtime } = statSync(file);
  utimesSync(file, atime, mtime);
}
