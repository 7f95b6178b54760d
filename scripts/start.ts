import colors from "picocolors";
import { buildConsole, serveConsole } from "./console.js";
import { startLocalGantry, writeConnectionFile } from "./local-gantry.js";

const RESTARTS =
  "\nRestarts an app when its sources change, reloads the console in the browser, and logs to the terminal.";

const isWatched = process.argv.includes("--watch");
if (process.argv.includes("--help")) {
  console.log(`Usage: npm ${isWatched ? "run dev" : "start"} [-- --workers N] [--aws]

Starts Gantry with PostgreSQL, Redis and an emulated AWS, and serves until Ctrl-C.${isWatched ? RESTARTS : ""}
To use your own, set DATABASE_URL, REDIS_URL or AWS_ENDPOINT_URL. PORT sets the port (default: 3000).
METRICS_PORT=9464 shows the metrics of the API there, and those of each worker on the ports after it.
With the emulated AWS, providers without credentials are allowed (SHARED_PROVIDER=refused forbids them).

  --workers N  the number of workers (default: 1)
  --aws        uses real AWS instead of the emulator; new servers need BASE_URL, an https URL that AWS can reach, or
               SERVER_REPORTS=none`);
  process.exit(0);
}

const realAws = process.argv.includes("--aws");
const at = process.argv.indexOf("--workers");
const workers = at < 0 ? 1 : Number(process.argv[at + 1]);
if (!Number.isInteger(workers) || workers < 1) fail(new Error("--workers requires a positive integer."));

const building = isWatched ? undefined : buildConsole();
const gantry = await startLocalGantry({ name: "local", workers, realAws, isWatched, report: console.log }).catch(fail);
const removeConnectionFile = writeConnectionFile(gantry);
if (gantry.firstKeys) {
  const { email, password, token } = gantry.firstKeys;
  console.log(`\nThe first user, not shown again:
  e-mail    ${email}
  password  ${password}
  token     ${token}`);
}
const whyNoConsole = await building;
const consoleUrl = isWatched ? await serveConsole(gantry.baseUrl).catch(fail) : `${gantry.baseUrl}/console/`;
console.log(`
${colors.green("Gantry is ready.")}
  console        ${whyNoConsole ? "not built" : consoleUrl}
  API            ${gantry.baseUrl}
  documentation  ${gantry.baseUrl}/docs
  AWS            ${gantry.stack.awsEndpoint}${gantry.metrics.map((url) => `\n  metrics        ${url}`).join("")}
  for scripts    .gantry/local.json
Ctrl-C stops it.`);
const link = await gantry.linkToConsole();
if (link) console.log(`The console, once and within a minute: ${consoleUrl}${new URL(link).hash}`);
if (whyNoConsole) console.warn(colors.yellow(`\nThe web console could not be built. ${whyNoConsole}`));
if (gantry.warning) console.warn(colors.yellow(`\n${gantry.warning}.`));

for (const { name, exited } of gantry.apps)
  void exited.then((code) => code !== 0 && console.error(`The ${name} exited.`));
let stopping: Promise<void> | undefined;
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => (stopping ??= stop()));

async function stop(): Promise<void> {
  console.log("\nStopping …");
  removeConnectionFile();
  await gantry.stop();
  process.exit(0);
}

function fail(error: Error): never {
  console.error(colors.red(error.message));
  process.exit(1);
}
