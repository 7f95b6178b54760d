import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { emulatorHome, freePort } from "@gantry/local-stack";
import { parse } from "yaml";
import { type BenchEnvironment, REGION, startBenchEnvironment } from "../load/bench-environment.js";
import { cpuSecondsOf } from "../load/process-cpu.js";
import { requestClient } from "../load/request-client.js";
import { until } from "../support/until.js";

// The content of the images without an engine that runs them: what the Dockerfile deploys, on a read-only file system,
// as a user without rights.

const root = fileURLToPath(new URL("../..", import.meta.url));
const images = join(root, ".gantry/containers");
const nodeFolder = join(dirname(process.execPath), "..");

/** The user nobody. */
const NOBODY = "65534";

const SANDBOX = `
mount --bind "$1" /srv && mount --bind "$2" /opt && mount -o remount,bind,ro /srv && mount -o remount,bind,ro /opt &&
mount -o remount,bind,ro / && mount -t tmpfs tmpfs /tmp && cd /srv && shift 2 &&
exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs --bounding-set=-all /opt/bin/node "$@"`;

let bench: BenchEnvironment;
let settings: Record<string, string>;
const running: ChildProcess[] = [];

beforeAll(async () => {
  rmSync(images, { recursive: true, force: true });
  for (const app of ["api", "worker"]) deploy(app);
  execFileSync(process.execPath, [join(root, "scripts/bundle.mjs"), images], { cwd: root, stdio: "pipe" });
  for (const name of ["prisma", "docs", "LICENSE"])
    cpSync(join(root, name), join(images, "api", name), { recursive: true });
  bench = await startBenchEnvironment();
  settings = {
    NODE_ENV: "production",
    DATABASE_URL: bench.databaseUrl,
    REDIS_URL: bench.redisUrl,
    AWS_ENDPOINT_URL: bench.awsEndpoint,
    MASTER_KEY: Buffer.alloc(32, 7).toString("base64"),
    SERVER_REPORTS: "none",
  };
});
afterAll(async () => {
  for (const child of running) await stop(child);
  await bench?.stop();
  rmSync(images, { recursive: true, force: true });
});

/** Deploys an app as the Dockerfile does. */
function deploy(app: string): void {
  const words = ["--filter", `@gantry/${app}`, "deploy", "--prod", join(images, app, "apps", app)];
  const { packageManager } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const env = { ...process.env, CI: "true" };
  execFileSync("npx", ["--yes", "--loglevel=error", packageManager, ...words], { cwd: root, stdio: "pipe", env });
}

/** Runs Node with the content of an image. */
function runIn(image: "api" | "worker", words: string[], more: Record<string, string> = {}): ChildProcess {
  const shell = ["--mount", "--propagation", "private", "sh", "-c", SANDBOX, "sh", join(images, image), nodeFolder];
  const child = spawn("unshare", [...shell, ...words], {
    env: { PATH: process.env.PATH, ...settings, ...more },
    stdio: ["ignore", "pipe", "inherit"],
  });
  running.push(child);
  return child;
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGTERM");
  await once(child, "exit");
}

/** Starts an app with the command of its image. Returns it when it is ready, and prints the time and the CPU time of its start. */
async function start(app: "api" | "worker", more: Record<string, string> = {}) {
  const port = await freePort();
  const began = performance.now();
  const child = runIn(app, [`apps/${app}/dist/main.js`], {
    ...more,
    METRICS_PORT: String(port),
  });
  child.stdout?.resume();
  await until(async () => (await fetch(`http://127.0.0.1:${port}/health/ready`).catch(() => undefined))?.ok);
  const seconds = (performance.now() - began) / 1000;
  const cpuSeconds = cpuSecondsOf([child.pid ?? 0]);
  console.log(`${app}: ready after ${seconds.toFixed(1)} s, with ${cpuSeconds.toFixed(1)} s of CPU time`);
  return child;
}

it("holds them to a read-only file system and no rights", async () => {
  const code = `
    const { writeFileSync } = require("node:fs");
    const tryTo = (path) => { try { writeFileSync(path, ""); return "written"; } catch ({ code }) { return code; } };
    console.log(JSON.stringify([process.getuid(), ...["/srv/x", "/opt/x", "/etc/x", "/tmp/x"].map(tryTo)]));`;
  const child = runIn("worker", ["--eval", code]);
  const output = await text(child.stdout as NodeJS.ReadableStream);
  expect(JSON.parse(output)).toEqual([Number(NOBODY), "EROFS", "EROFS", "EROFS", "written"]);
});

it("sets up the database, and creates the first account only on an empty one", async () => {
  const child = runIn("api", ["apps/api/dist/set-up.js", "--first-account"]);
  const output = await text(child.stdout as NodeJS.ReadableStream);
  expect(output).toContain("The database already has users");
});

it("starts both apps, which bring up a server in a plain moto with the settings of Compose, and stop on SIGTERM", async () => {
  const [port, motoPort] = [await freePort(), await freePort()];
  const services = parse(readFileSync(join(root, "docker/compose.yaml"), "utf8"), { merge: true }).services;
  // Compose runs moto as it is published; the tests elsewhere run it behind a proxy that makes it stricter.
  const moto = spawn(
    join(emulatorHome(join(root, ".gantry/python")), "bin/python"),
    ["-m", "moto.server", "-H", "127.0.0.1", "-p", String(motoPort)],
    {
      env: { PATH: process.env.PATH, ...services.moto.environment },
      stdio: "ignore",
    },
  );
  running.push(moto);
  const given = { ...settings, AWS_ENDPOINT_URL: `http://127.0.0.1:${motoPort}` };
  const compose = { ...given, HOST: "127.0.0.1", PORT: String(port), BASE_URL: `http://127.0.0.1:${port}` };
  const api = await start("api", compose);
  const worker = await start("worker", { ...compose, AWS_ACCESS_KEY_ID: "x", AWS_SECRET_ACCESS_KEY: "x" });
  const { requestAndWait, send } = requestClient(compose.BASE_URL, bench.token);
  const credentials = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "secret" };
  const idOf = ({ resource }: { resource: string }) => resource.split("/").at(-1);
  const provider = Number(
    idOf(
      await requestAndWait("POST", `/accounts/${bench.accountId}/providers`, {
        provider: { type: "aws", credentials },
      }),
    ),
  );
  const network = idOf(
    await requestAndWait("POST", "/networks", { provider, network: { cidr: "10.0.0.0/16", location: REGION } }),
  );
  const { environment } = await send<{ environment: { id: number } }>(
    "POST",
    `/accounts/${bench.accountId}/environments`,
    {
      environment: { name: "web" },
      network,
    },
  );
  const server = idOf(
    await requestAndWait("POST", "/servers", {
      environment: environment.id,
      server: { role: "app_master", flavor: "t2.small" },
    }),
  );
  const shown = await send<{ server: object }>("GET", `/servers/${server}`);
  expect(shown.server).toMatchObject({ state: "running", provisioned_id: expect.stringMatching(/^i-/) });

  // What the apps read from files is where the bundle looks for it.
  for (const path of ["/docs", "/docs/signing-in", "/openapi.json", "/version"])
    expect([path, (await fetch(`${compose.BASE_URL}${path}`)).status]).toEqual([path, 200]);
  // Bull Board reads its pages from its package.
  await bench.db.user.update({ where: { id: bench.userId }, data: { staff: true } });
  const headers = { authorization: `Bearer ${bench.token}` };
  await until(async () => (await fetch(`${compose.BASE_URL}/queues/api/queues`, { headers })).status !== 403);
  expect(await (await fetch(`${compose.BASE_URL}/queues`, { headers })).text()).toContain("Gantry queues");

  for (const child of [api, worker]) await stop(child);
  expect([api.exitCode, worker.exitCode]).toEqual([0, 0]);
});
