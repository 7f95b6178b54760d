import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buildApp } from "@gantry/api";
import { Vault } from "@gantry/db";
import type { Env } from "@gantry/runtime";
import { type TestDatabase, testEnv, testLog } from "./stack.js";

/** The API on a port of this machine, over a test's database: what the emulated servers report to. */
export interface Callbacks {
  /** The settings of workers whose servers report there. */
  env: Env;
  stop(): Promise<void>;
}

export async function startCallbacks(database: TestDatabase): Promise<Callbacks> {
  const server = createServer();
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const env = testEnv(database, { BASE_URL: `http://127.0.0.1:${port}` });
  const vault = new Vault(env.MASTER_KEY);
  const { app, close } = buildApp({ env, db: database.db, bell: { ring: () => {} }, log: testLog, vault });
  server.on("request", app);
  return {
    env,
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await close();
    },
  };
}
