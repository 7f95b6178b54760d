import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { httpServer } from "@gantry/api";
import { prepareDatabase } from "@gantry/db";
import { appDatabaseUrl, startLocalStack } from "@gantry/local-stack";
import { onServer } from "@gantry/schema-engine";
import pg from "pg";
import { type Document, withIds } from "./existing-ids.js";
import { withNulls } from "./nulls.js";

const migrations = fileURLToPath(new URL("../../prisma/migrations", import.meta.url));

/** The token of an account's owner, and the document with the ids of the account's resources. */
export interface Caller {
  token: string;
  document: Document;
}

/** What the API answered so far. */
export interface Traffic {
  calls: number;
  /** Answers of 5xx. */
  failures: number;
  longestMs: number;
  /** The method and URL of the longest answer. */
  longest: string;
}

/** The API with its own database and without a worker. */
export interface Target {
  baseUrl: string;
  /** The API's OpenAPI document. */
  document: Document;
  traffic: Traffic;
  /** Adds a user with an account that has resources of every type. */
  addCaller(): Promise<Caller>;
  stop(): Promise<void>;
}

export async function startTarget(): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-fuzz-"));
  const unused = { REDIS_URL: "redis://unused", AWS_ENDPOINT_URL: "http://unused" };
  const stack = await startLocalStack({ folder, environment: { ...process.env, ...unused }, ephemeral: true });
  const template = new URL(stack.databaseUrl);
  template.pathname = `/gantry_fuzz_${process.pid}`;
  const appUrl = appDatabaseUrl(template.toString(), folder);
  await prepareDatabase(template.toString(), appUrl, migrations);
  // The test support reads the URLs of its template database when it is loaded.
  process.env.TEST_TEMPLATE_URL = template.toString();
  process.env.TEST_APP_URL = appUrl;
  process.env.TEST_LOG_LEVEL ??= "error";
  const [{ createCaller, startTestApi }, { fillAccount }] = await Promise.all([
    import("../support/api.js"),
    import("../support/fixtures.js"),
  ]);
  const unlimited = "1000000000";
  const api = await startTestApi({
    RATE_LIMIT_PER_MINUTE: unlimited,
    OPEN_REQUESTS_PER_ACCOUNT: unlimited,
    ANONYMOUS_RATE_LIMIT_PER_MINUTE: unlimited,
  });
  const server = httpServer(api.app);
  const traffic = measureTraffic(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document = withNulls((await (await fetch(`${baseUrl}/openapi.json`)).json()) as Document);
  return {
    baseUrl,
    document,
    traffic,
    addCaller: async () => {
      const caller = await createCaller(api, { password: "correct horse battery" });
      return { token: caller.token, document: withIds(document, await fillAccount(api, caller, 2)) };
    },
    stop: async () => {
      const closed = once(server, "close");
      server.close();
      await api.close();
      server.closeAllConnections();
      await closed;
      const name = pg.escapeIdentifier(template.pathname.slice(1));
      await onServer(template.toString(), (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
      await stack.stop();
    },
  };
}

function measureTraffic(server: Server): Traffic {
  const traffic: Traffic = { calls: 0, failures: 0, longestMs: 0, longest: "none" };
  server.on("request", ({ method, url }, response) => {
    const start = performance.now();
    response.on("finish", () => {
      const ms = performance.now() - start;
      traffic.calls++;
      if (response.statusCode >= 500) traffic.failures++;
      // A long poll takes as long as it was asked to.
      if (ms > traffic.longestMs && !url?.includes("wait="))
        Object.assign(traffic, { longestMs: ms, longest: `${method} ${url}` });
    });
  });
  return traffic;
}
