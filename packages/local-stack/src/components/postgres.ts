import { execFile } from "node:child_process";
import { chownSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import pg from "pg";
import { startOnPort } from "../ports.js";
import { commandLineOf } from "../processes/identity.js";
import { startProcess } from "../processes/start.js";
import { type Component, type ComponentOptions, toComponent } from "./component.js";
import { localPassword } from "./password.js";
import { findPostgres, type PostgresBinaries } from "./postgres-binaries.js";
import { type Owner, ownedFolder, postgresOwner } from "./postgres-owner.js";

export interface PostgresOptions extends ComponentOptions {
  /** Commits wait for the disk; otherwise a crash of the machine, but not of the process, may lose data. True by default. */
  fsync?: boolean;
  /** Further settings of the server. */
  settings?: Record<string, string | number>;
  /** The PostgreSQL to use; found by `findPostgres` by default. */
  binaries?: PostgresBinaries;
}

const DATABASE = "gantry";
/** Synchronous commits stay on: without them a killed process loses confirmed commits. */
const WITHOUT_FSYNC = { fsync: "off", full_page_writes: "off", wal_level: "minimal", max_wal_senders: 0 };

/**
 * Starts PostgreSQL on 127.0.0.1 for the user `postgres` with a password, and creates the database `gantry`. Data stays
 * in `folder`. Throws an Error with a remedy.
 */
export async function startPostgres(options: PostgresOptions): Promise<Component> {
  const { folder, environment, fsync = true } = options;
  const owner = postgresOwner();
  const binaries = options.binaries ?? findPostgres(environment, owner);
  const password = localPassword(folder, "postgres");
  const home = ownedFolder(join(folder, `postgres-${binaries.major}`), owner);
  const data = join(home, "data");
  const env = { ...environment, LC_ALL: "C" };
  if (!existsSync(data)) await createCluster({ binaries, home, env, owner, password });

  const settings = { listen_addresses: "127.0.0.1", unix_socket_directories: "", max_connections: 200 };
  const durability = fsync ? {} : WITHOUT_FSYNC;
  return startOnPort(options, async (port) => {
    const running = await retryWhileInUse(data, () =>
      startProcess({
        name: "postgres",
        command: join(binaries.folder, "postgres"),
        args: ["-D", data, ...asArguments({ ...settings, port, ...durability, ...options.settings })],
        environment: env,
        cwd: data,
        logFile: join(folder, "postgres.log"),
        signal: "SIGINT",
        owner,
        ready: () => createDatabase(port, password),
      }),
    );
    return toComponent(`postgresql://postgres:${password}@127.0.0.1:${port}/${DATABASE}`, running);
  });
}

interface NewCluster {
  binaries: PostgresBinaries;
  home: string;
  env: NodeJS.ProcessEnv;
  owner: Owner | undefined;
  password: string;
}

/** Creates the cluster under another name and renames it: a crash leaves no incomplete cluster. */
async function createCluster({ binaries, home, env, owner, password }: NewCluster) {
  const draft = join(home, "draft");
  const passwordFile = join(home, "draft.password");
  rmSync(draft, { recursive: true, force: true });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (owner) chownSync(passwordFile, owner.uid, owner.gid);
  const locale = process.platform === "linux" ? "C.UTF-8" : "C";
  const options = [
    "--username=postgres",
    "--auth=scram-sha-256",
    `--pwfile=${passwordFile}`,
    "--encoding=UTF8",
    `--locale=${locale}`,
  ];
  const args = ["-D", draft, ...options, "--no-sync", "--no-instructions"];
  await promisify(execFile)(join(binaries.folder, "initdb"), args, { ...owner, env, cwd: home });
  rmSync(passwordFile);
  renameSync(draft, join(home, "data"));
}

function asArguments(settings: Record<string, string | number>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
}

async function createDatabase(port: number, password: string): Promise<void> {
  const client = new pg.Client({ host: "127.0.0.1", port, user: "postgres", password, database: "postgres" });
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = $1", [DATABASE]);
    if (rowCount === 0) await client.query(`CREATE DATABASE ${DATABASE}`);
  } finally {
    await client.end();
  }
}

/** Retries a start for ten seconds after a crash: the old server's backends hold its shared memory until they exit. */
async function retryWhileInUse<T>(data: string, start: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    removeStaleLock(data);
    try {
      return await start();
    } catch (error) {
      if (Date.now() > deadline || !/still in use|shared memory/.test(String(error))) throw error;
      await sleep(50);
    }
  }
}

/** Removes a crashed server's lock file whose pid now belongs to another program: PostgreSQL would refuse every start. */
function removeStaleLock(data: string): void {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return;
  const pid = Number(readFileSync(file, "utf8").split("\n")[0]);
  const command = commandLineOf(pid);
  if (command !== undefined && !command.includes("postgres")) rmSync(file);
}
