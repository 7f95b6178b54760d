import { randomBytes } from "node:crypto";
import { connectDb, type Db, deriveInstallationKeys, Vault } from "@gantry/db";
import { createLog, type Env, readEnv } from "@gantry/runtime";
import { onServer } from "@gantry/schema-engine";
import pg from "pg";

const template = new URL(process.env.TEST_TEMPLATE_URL ?? "");
const appTemplate = new URL(process.env.TEST_APP_URL ?? "");

/** Timeouts for a test's own database client: only a query that hangs waits so long, however busy the machine is. */
export const LONG_TIMEOUTS = {
  connectSeconds: 300,
  transactionSeconds: 300,
  idleTransactionSeconds: 300,
  sessionTransactionSeconds: 900,
};

/** The database of one test file, cloned from the migrated template. */
export interface TestDatabase {
  /** For apps, whose user is not the owner of the tables. */
  url: string;
  ownerUrl: string;
  /** A client of the owner. */
  db: Db;
  drop(): Promise<void>;
}

export async function cloneDatabase(): Promise<TestDatabase> {
  const name = `gantry_test_${randomBytes(6).toString("hex")}`;
  const templateName = pg.escapeIdentifier(template.pathname.slice(1));
  await onServer(template.toString(), (server) =>
    server.query(`CREATE DATABASE ${pg.escapeIdentifier(name)} TEMPLATE ${templateName} STRATEGY FILE_COPY`),
  );
  const [url, ownerUrl] = [appTemplate, template].map((each) =>
    Object.assign(new URL(each), { pathname: `/${name}` }),
  ) as [URL, URL];
  const db = connectDb(ownerUrl.toString(), 8, LONG_TIMEOUTS);
  return {
    url: url.toString(),
    ownerUrl: ownerUrl.toString(),
    db,
    drop: async () => {
      await db.$disconnect();
      await onServer(ownerUrl.toString(), (server) =>
        server.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(name)} WITH (FORCE)`),
      );
    },
  };
}

const MASTER_KEY = Buffer.alloc(32, 7);

/** The master key of every process under test, as its setting holds it. */
export const testMasterKey = MASTER_KEY.toString("base64");

/** A vault with the master key of every process under test. */
export const testVault = new Vault([MASTER_KEY]);

/** The keys of every installation under test. */
export const testKeys = deriveInstallationKeys(MASTER_KEY);

/** Settings of a process under test. Each test database has its own queue in Redis. */
export function testEnv(database: Pick<TestDatabase, "url">, changes: Record<string, string> = {}): Env {
  return readEnv({
    DATABASE_URL: database.url,
    REDIS_URL: process.env.TEST_REDIS_URL,
    QUEUE_PREFIX: `{${new URL(database.url).pathname.slice(1)}}`,
    MASTER_KEY: testMasterKey,
    BASE_URL: "http://gantry.test",
    AWS_ENDPOINT_URL: process.env.TEST_AWS_ENDPOINT ?? "",
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? "silent",
    AWS_VISIBILITY_SECONDS: "0",
    DRIFT_SECONDS: "0",
    AWS_RATE_SHARE: "1000",
    SHARED_PROVIDER: "allowed",
    ...changes,
  });
}

export const testLog = createLog("test", process.env.TEST_LOG_LEVEL ?? "silent");

export const redisUrl = process.env.TEST_REDIS_URL ?? "";

/** The address of the proxy that injects faults in front of the emulator. */
export const awsEndpoint = process.env.TEST_AWS_ENDPOINT ?? "";
