import colors from "picocolors";
import { startLocalGantry, writeConnectionFile } from "./local-gantry.js";

const RESTARTS = " The API and each worker restart when a source of theirs changes, and log to the terminal.";

const isWatched = process.argv.includes("--watch");
if (process.argv.includes("--help")) {
  console.log(`Usage: npm ${isWatched ? "run dev" : "start"} [-- --workers N] [--aws]

Starts Gantry with all it needs and keeps serving until Ctrl-C.${isWatched ? RESTARTS : ""} DATABASE_URL, REDIS_URL and AWS_ENDPOINT_URL are used
where they are set; what they do not name is started here. PORT chooses the port (3000). With --aws, providers act in
AWS itself and no emulator is started.`);
  process.exit(0);
}

const realAws = process.argv.includes("--aws");
const at = process.argv.indexOf("--workers");
const workers = at < 0 ? 1 : Number(process.argv[at + 1]);
if (!Number.isInteger(workers) || workers < 1) fail(new Error("--workers takes a whole number from 1."));

const gantry = await startLocalGantry({ name: "local", workers, realAws, isWatched, report: console.log }).catch(fail);
const removeConnectionFile = writeConnectionFile(gantry);
if (gantry.firstKeys) {
  const { email, password, token } = gantry.firstKeys;
  console.log(`\nThe first user; this is shown once:
  e-mail    ${email}
  password  ${password}
  token     ${token}`);
}
console.log(`
${colors.green("Gantry is up.")}
  API            ${gantry.baseUrl}
  documentation  ${gantry.baseUrl}/docs
  AWS            ${gantry.stack.awsEndpoint}
  for scripts    .gantry/local.json
Stop it with Ctrl-C.`);

for (const app of gantry.apps) app.process.on("exit", (code) => code !== 0 && console.error(`The ${app.name} ended.`));
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
