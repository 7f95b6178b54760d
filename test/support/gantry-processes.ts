import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap, type FirstKeys } from "@gantry/api";
import { Gantry } from "@gantry/client";
import { freePort } from "@gantry/local-stack";
import { type App, startApp } from "../../scripts/processes.js";
import { awsEndpoint, cloneDatabase, type TestDatabase, testEnv, testMasterKey } from "./stack.js";

/** An API and a worker in processes of their own. */
export interface GantryProcesses {
  database: TestDatabase;
  /** Returns a new client of the API, as the owner of the first account. */
  connect(): Gantry;
  /** Ends an app at once, by SIGKILL. */
  kill(name: App["name"]): Promise<void>;
  /** Starts an app that was killed, and waits until it is ready. */
  restart(name: App["name"]): Promise<void>;
  close(): Promise<void>;
}

export async function startGantryProcesses(): Promise<GantryProcesses> {
  const folder = await mkdtemp(join(tmpdir(), "gantry-processes-"));
  const database = await cloneDatabase();
  const env = testEnv(database);
  const { token, accountId: account } = (await bootstrap(database.db, env)) as FirstKeys;
  const port = await freePort();
  const settings = {
    DATABASE_URL: env.DATABASE_URL,
    REDIS_URL: env.REDIS_URL,
    QUEUE_PREFIX: env.QUEUE_PREFIX,
    MASTER_KEY: testMasterKey,
    AWS_ENDPOINT_URL: awsEndpoint,
    AWS_VISIBILITY_SECONDS: "0",
    PORT: String(port),
  };
  const apps = new Map<App["name"], App>();
  const restart = async (name: App["name"]) => void apps.set(name, await startApp(name, settings, folder));
  await Promise.all([restart("api"), restart("worker")]);
  return {
    database,
    connect: () => new Gantry({ baseUrl: `http://127.0.0.1:${port}`, token, account }),
    kill: async (name) => {
      apps.get(name)?.process.kill("SIGKILL");
      await apps.get(name)?.exited;
    },
    restart,
    close: async () => {
      await Promise.all([...apps.values()].map((app) => app.stop()));
      await database.drop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
