import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { startApp } from "../../scripts/processes.js";
import { createProvider, REGION } from "../support/api.js";
import { cloneDatabase, testEnv, testMasterKey } from "../support/stack.js";

const preload = fileURLToPath(new URL("report-wasm.ts", import.meta.url));

const database = await cloneDatabase();
afterAll(() => database.drop());
const folder = await mkdtemp(join(tmpdir(), "gantry-start-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

const { DATABASE_URL, REDIS_URL, QUEUE_PREFIX } = testEnv(database);
const settings = { DATABASE_URL, REDIS_URL, QUEUE_PREFIX, MASTER_KEY: testMasterKey, PORT: "0" };

/** Whether an API compiles WebAssembly from its start, with a call of `token`, until it has stopped. */
async function compiles(token: string, path: string, input?: object): Promise<boolean> {
  const app = await startApp("api", settings, folder, { preloads: [preload] });
  try {
    const { listening } = app.ready as { listening: number };
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const init = input ? { method: "POST", headers, body: JSON.stringify(input) } : { headers };
    expect((await fetch(`http://127.0.0.1:${listening}${path}`, init)).status).toBe(200);
  } finally {
    await app.stop();
  }
  return (await readFile(join(folder, "api.log"), "utf8")).includes("bytes of WebAssembly");
}

it("the API starts and accepts Requests without Prisma's query compiler, which takes a third of that CPU", async () => {
  const { token, accountId } = (await bootstrap(database.db, testEnv(database))) as FirstKeys;
  const provider = (await createProvider(database.db, accountId)).id;
  const input = { provider, network: { cidr: "10.0.0.0/16", location: REGION } };
  expect(await compiles(token, "/networks", input)).toBe(false);
  // A call of Prisma's own way shows that the compiler would have been seen.
  expect(await compiles(token, "/tokens")).toBe(true);
});
