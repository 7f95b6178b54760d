import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort, type NodeProcess, startNodeProcess, startProcess } from "@gantry/local-stack";
import pg from "pg";
import { type BenchEnvironment, REGION } from "../bench-environment.js";
import type { Engine, EngineKind, NetworkState } from "./engine.js";

const folder = fileURLToPath(new URL("../../peers/", import.meta.url));
const cache = fileURLToPath(new URL("../../../.gantry/peers/", import.meta.url));

/** The newest version that `go install` accepts: later ones replace a module by a folder. */
const TEMPORAL_SERVER = "v1.5.1";

type Environment = Record<string, string>;

/** What a peer has beside its program. */
interface Peer {
  /** The packages whose versions name the peer. */
  packages: string[];
  versions?: string;
  /** Starts the server of the engine with its data below `data`; returns what its program needs. */
  server?: (data: string) => Promise<{ start: () => Promise<RunningServer>; settings: Environment }>;
}

type RunningServer = Awaited<ReturnType<typeof startProcess>>;

const PEERS: Record<string, Peer> = {
  dbos: { packages: ["@dbos-inc/dbos-sdk"] },
  restate: { packages: ["@restatedev/restate-sdk", "@restatedev/restate-server"], server: restateServer },
  temporal: { packages: ["@temporalio/worker"], versions: `server ${TEMPORAL_SERVER}`, server: temporalServer },
  "graphile-worker": { packages: ["graphile-worker"] },
  bullmq: { packages: ["bullmq"] },
};

export const PEER_NAMES = Object.keys(PEERS);

/** Installs what the peers need, unless it is there: before anything runs that a wait of minutes would disturb. */
export function installPeers(names: readonly string[]): void {
  installPackages();
  try {
    if (names.includes("temporal")) temporalBinary();
  } catch (error) {
    // Its start fails again, and the table says why.
    console.warn((error as Error).message);
  }
}

/** As their lockfile says. */
function installPackages(): void {
  const installed = join(folder, "node_modules/.package-lock.json");
  const lockfile = join(folder, "package-lock.json");
  if (existsSync(installed) && versionsIn(installed) === versionsIn(lockfile)) return;
  console.log("installing the packages of test/peers");
  execFileSync("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: folder, stdio: "inherit" });
}

/** The peers by their names. */
export function peers(bench: BenchEnvironment): Record<string, EngineKind> {
  const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
  const kinds = Object.entries(PEERS).map(([name, peer]) => {
    const versions = peer.packages.map((each) => packages[`node_modules/${each}`].version);
    const version = [...versions, ...(peer.versions ? [peer.versions] : [])].join(", ");
    return [name, { version, prepare: () => prepare(bench, name, peer) }];
  });
  return Object.fromEntries(kinds);
}

async function prepare(bench: BenchEnvironment, name: string, peer: Peer): Promise<Engine> {
  const database = `peers_${randomBytes(6).toString("hex")}`;
  const url = Object.assign(new URL(bench.databaseUrl), { pathname: `/${database}` });
  const data = mkdtempSync(join(tmpdir(), `gantry-peers-${name}-`));
  const server = await peer.server?.(data);
  const awsAccount = await bench.aws.createAccount();
  const log = join(data, "program.log");
  const environment = {
    ...inherited(),
    NODE_ENV: "production",
    DATABASE_URL: url.toString(),
    REDIS_URL: bench.redisUrl,
    QUEUE_PREFIX: `{${database}}`,
    AWS_ENDPOINT_URL: bench.awsEndpoint,
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: awsAccount.accessKeyId,
    AWS_SECRET_ACCESS_KEY: awsAccount.secretAccessKey,
    ...server?.settings,
  };
  await onServer(bench.databaseUrl, `CREATE DATABASE ${database}`);
  let engine: RunningServer | undefined;
  let program: NodeProcess | undefined;
  const base = () => `http://127.0.0.1:${(program?.ready as { listening: number } | undefined)?.listening}/networks`;
  const input = () => ({ url: base(), method: "POST" as const, headers: {}, body: "" });
  const work = async () => {
    const file = join(folder, `${name}.mjs`);
    program ??= await startNodeProcess(file, { environment, cwd: data, stdout: log, stderr: log });
  };
  const kill = async () => {
    await program?.kill();
    program = undefined;
  };
  return {
    awsAccount,
    open: async () => {
      engine ??= await server?.start();
      await work();
    },
    work,
    kill,
    close: async () => {
      await program?.stop();
      program = undefined;
      await engine?.stop();
      engine = undefined;
    },
    remove: async () => {
      await kill();
      await engine?.kill();
      rmSync(data, { recursive: true, force: true });
      await onServer(bench.databaseUrl, `DROP DATABASE ${database} WITH (FORCE)`);
    },
    pids: () => [program?.pid, engine?.identity.pid].flatMap((pid) => pid ?? []),
    input,
    create: async () => (await call<{ id: string }>(base(), "POST")).id,
    stateOf: async (id) => (await call<{ state: NetworkState }>(`${base()}/${id}`, "GET")).state,
  };
}

async function call<T>(url: string, method: string): Promise<T> {
  const response = await fetch(url, { method });
  if (!response.ok) throw new Error(`${method} ${url} returned ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

async function onServer(connectionString: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** https://docs.restate.dev: one node, which provisions itself. */
async function restateServer(data: string) {
  const [ingress, admin, node, service] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const binary = `node_modules/@restatedev/restate-server-${process.platform}-${process.arch}/bin/restate-server`;
  const environment = {
    ...inherited(),
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${node}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${node}`,
    RESTATE_DISABLE_TELEMETRY: "true",
  };
  const args = ["--base-dir", join(data, "restate"), "--node-name", "peers", "--listen-mode", "tcp", "--no-logo"];
  const isHealthy = async (url: string) => {
    if (!(await fetch(url)).ok) throw new Error("not healthy");
  };
  const start = () =>
    startProcess({
      name: "restate-server",
      command: join(folder, binary),
      args: [...args, "--production", "--auto-provision", "true"],
      environment,
      logFile: join(data, "server.log"),
      ready: async () => {
        await isHealthy(`http://127.0.0.1:${admin}/health`);
        await isHealthy(`http://127.0.0.1:${ingress}/restate/health`);
      },
    });
  const urls = { INGRESS_URL: `http://127.0.0.1:${ingress}`, ADMIN_URL: `http://127.0.0.1:${admin}` };
  return { start, settings: { ...urls, SERVICE_PORT: String(service) } };
}

/** https://docs.temporal.io/cli/server: the server for development, with a file, so that it survives a restart. */
async function temporalServer(data: string) {
  const [port, metrics] = [await freePort(), await freePort()];
  const command = temporalBinary();
  const args = ["server", "start-dev", "--headless", "--log-level", "warn", "--db-filename", join(data, "temporal.db")];
  const start = () =>
    startProcess({
      name: "temporal",
      command,
      args: [...args, "--port", String(port), "--metrics-port", String(metrics)],
      environment: inherited(),
      logFile: join(data, "server.log"),
      ready: async () => {
        await canConnect(port);
        const address = ["--address", `127.0.0.1:${port}`];
        execFileSync(command, ["operator", "namespace", "describe", "default", ...address], { stdio: "ignore" });
      },
    });
  return { start, settings: { TEMPORAL_ADDRESS: `127.0.0.1:${port}` } };
}

/** The npm registry has no Temporal server: Go compiles it once, in some minutes. */
function temporalBinary(): string {
  const bin = join(cache, `temporal-${TEMPORAL_SERVER}`);
  if (!existsSync(join(bin, "temporal"))) {
    console.log(`compiling Temporal's server ${TEMPORAL_SERVER} with Go`);
    mkdirSync(bin, { recursive: true });
    const target = `github.com/temporalio/cli/cmd/temporal@${TEMPORAL_SERVER}`;
    try {
      execFileSync("go", ["install", target], { env: { ...process.env, GOBIN: bin }, stdio: "ignore" });
    } catch (error) {
      throw new Error(`Temporal's server needs Go and its module proxy: ${(error as Error).message}`);
    }
  }
  return join(bin, "temporal");
}

function canConnect(port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => resolve(void socket.end()));
    socket.once("error", reject);
  });
}

/** What every program needs of this process's environment; the rest is settings. */
function inherited(): Environment {
  const { PATH = "", HOME = "" } = process.env;
  return { PATH, HOME };
}

function versionsIn(lockfile: string): string {
  const packages: Record<string, { version?: string; optional?: boolean }> = JSON.parse(
    readFileSync(lockfile, "utf8"),
  ).packages;
  const needed = Object.entries(packages).filter(([path, { optional }]) => path && !optional);
  return JSON.stringify(needed.map(([path, { version }]) => [path, version]));
}
