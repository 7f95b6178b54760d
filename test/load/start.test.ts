import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { startApp } from "../../scripts/processes.js";
import { createProvider, REGION } from "../support/api.js";
import { cloneDatabase, testEnv, testMasterKey } from "../support/stack.js";

const preload = fileURLToPath(new URL("report-wasm.ts", import.meta.url));

it("the API starts and accepts Requests without Prisma's query compiler, which takes a third of that CPU", async () => {
  const folder = await mkdtemp(join(tmpdir(), "gantry-start-"));
  const database = await cloneDatabase();
  const { DATABASE_URL, REDIS_URL, QUEUE_PREFIX } = testEnv(database);
  const { token, accountId } = (await bootstrap(database.db, testEnv(database))) as FirstKeys;
  const provider = (await createProvider(database.db, accountId)).id;
  const settings = { DATABASE_URL, REDIS_URL, QUEUE_PREFIX, MASTER_KEY: testMasterKey, PORT: "0" };
  const app = await startApp("api", settings, folder, { preloads: [preload] });
  try {
    const url = `http://127.0.0.1:${(app.ready as { listening: number }).listening}`;
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const isCompiled = async () => (await readFile(join(folder, "api.log"), "utf8")).includes("bytes of WebAssembly");
    const body = JSON.stringify({ provider, network: { cidr: "10.0.0.0/16", location: REGION } });
    expect((await fetch(`${url}/networks`, { method: "POST", headers, body })).status).toBe(200);
    expect(await isCompiled()).toBe(false);
    // A call of Prisma's own way shows that the compiler would have been seen.
    expect((await fetch(`${url}/tokens`, { headers })).status).toBe(200);
    expect(await isCompiled()).toBe(true);
  } finally {
    await app.stop();
    await database.drop();
    await rm(folder, { recursive: true, force: true });
  }
});
