import { spawnSync } from "node:child_process";
import { basename } from "node:path";

/** Runs a file of this repository as its npm script does. */
const node = ["node", ...process.execArgv].join(" ");
const test = `${node} scripts/run-tests.mjs`;
const everyCase = `${test} --every-case`;
const chaos = (folder) => `${node} test/chaos/${folder}/main.ts`;
const chaosOn = (stores) => `${chaos("random-faults")} --kills 60 --stores ${stores}`;

const REPLACE_SECRET = "replace the secret that is in git by a new one";

/** Every check that reads files only, by its name: its command for the shell, and what fixes its findings. */
const STATIC = {
  types: { command: "tsc -p . --incremental --tsBuildInfoFile .gantry/types.tsbuildinfo" },
  // The console's code runs in a browser.
  "console types": { command: "tsc -p apps/console --incremental --tsBuildInfoFile .gantry/console.tsbuildinfo" },
  lint: { command: "biome ci --formatter-enabled=false --assist-enabled=false", fix: "npm run lint -- --write" },
  format: { command: "biome ci --linter-enabled=false", fix: "npm run format" },
  // Words for which the glossary has better ones.
  words: {
    command: "cspell lint --no-progress --no-summary .",
    fix: "the word in the message; cspell.json lists all of them",
  },
  secrets: { command: "secretlint --secretlintrc .secretlintrc.json '**/*'", fix: REPLACE_SECRET },
  // The directions of imports between apps, packages, folders and files.
  boundaries: { command: `${node} scripts/check-boundaries.ts` },
  // Tests import an app only through its entry point.
  "test entries": {
    command:
      "depcruise --config .dependency-cruiser.tests.cjs --cache .gantry/depcruise-tests --cache-strategy content apps packages test",
  },
  // Files, exports and dependencies.
  unused: {
    command: "knip --cache --cache-location .gantry/knip",
    fix: "remove what is unused; knip.json lists the entry points",
  },
  openapi: { command: `${node} apps/api/src/write-openapi.ts --check`, fix: "npm run openapi" },
  policies: { command: `${node} scripts/aws-policies.ts --check`, fix: "npm run policies" },
  settings: { command: `${node} scripts/settings.ts --check`, fix: "npm run settings" },
  commands: { command: "node apps/cli/write-reference.mjs --check", fix: "npm run commands" },
  metrics: { command: `${node} scripts/metrics.ts --check`, fix: "npm run metrics" },
};

const BEFORE_A_MERGE = {
  "secrets of the history": { command: `${node} scripts/check-history.mjs`, fix: REPLACE_SECRET },
  build: { command: "tsc -b --force tsconfig.build.json" },
  // The ages and licenses of the packages.
  supply: { command: `${node} scripts/sbom.mjs --check` },
  // They create the schema, only expand it, and never change; the functions can be applied.
  migrations: { command: `${node} scripts/migration.ts --check`, fix: "npm run migration -- NAME" },
};

const campaignFiles = spawnSync("git", ["ls-files", "*.campaign.ts"], { encoding: "utf8" }).stdout?.match(/.+/g) ?? [];

/** The campaigns, with the minutes after which each is stopped and has failed. */
const CAMPAIGNS = {
  // A crash and a rejection at every AWS call of every scenario, and every transient AWS error.
  crashes: { command: `${everyCase} .crash.test.ts`, minutes: 30 },
  // Every scenario with the shipped policies, and with each permission removed.
  permissions: { command: `${everyCase} test/permissions`, minutes: 20 },
  // Every id in every operation, sent by each kind of caller without access to it.
  isolation: { command: `${everyCase} test/contract/isolation`, minutes: 15 },
  // The rows and queries of every list, with every filter and in every order, over 60,000 rows.
  "list reads": { command: `${everyCase} test/contract/list-reads test/contract/queries`, minutes: 15 },
  // Wrong values for every parameter of every query, every media type, and every call with conditions.
  calls: {
    command: `${everyCase} test/contract/query-errors test/contract/media-types test/contract/conditions`,
    minutes: 15,
  },
  // Every name of Object's prototype in every text field, and numbers that no column holds.
  "hostile values": { command: `${everyCase} test/contract/hostile-values`, minutes: 15 },
  // Every signal to every process of a command, and a start after a hard kill.
  signals: { command: `${everyCase} scripts/signals`, minutes: 20 },
  // Two hundred event readers that are disconnected at random.
  streams: { command: `${everyCase} resources/events/event.endpoints`, minutes: 15 },
  // A kill of a worker process at every crash point of every workflow.
  points: { command: chaos("crash-points"), minutes: 40 },
  // A cancel at every crash point, a rejection of every call, then a retry.
  cancels: { command: `${chaos("crash-points")} --cancel`, minutes: 30 },
  // Random faults under load.
  chaos: { command: `${chaos("random-faults")} --kills 300`, minutes: 40 },
  // The same with TLS to PostgreSQL and Redis, whose certificates every client verifies.
  tls: { command: chaosOn("tls"), minutes: 15 },
  // The same with replicas of Redis, which are promoted when their primaries are killed.
  sentinel: { command: chaosOn("redis-sentinel"), minutes: 15 },
  cluster: { command: chaosOn("redis-cluster"), minutes: 15 },
  // The same with PgBouncer in front of PostgreSQL; both are killed.
  pooler: { command: chaosOn("pgbouncer"), minutes: 15 },
  // Single creates during a flood of 2,000.
  fairness: { command: chaos("fairness"), minutes: 30 },
  // Fifty restarts under load, old and new builds side by side.
  deploys: { command: chaos("rolling-deploy"), minutes: 30 },
  // Ten thousand Requests that wait for RDS.
  waiting: { command: chaos("waiting"), minutes: 20 },
  // The removal of most of a million ended Requests under load.
  retention: { command: chaos("retention"), minutes: 60 },
  "long fuzz": { command: `${node} test/fuzz/fuzz.ts --calls 50000`, minutes: 60 },
  ...Object.fromEntries(
    campaignFiles.map((file) => [
      basename(file, ".campaign.ts"),
      { command: `${everyCase} --campaigns ${file}`, minutes: 60 },
    ]),
  ),
};

/** Steps that follow each other, each of checks that share two lanes. */
export const PLANS = {
  static: [STATIC],
  check: [STATIC, { "fast tests": { command: `${test} --fast` } }],
  verify: [
    { ...BEFORE_A_MERGE, ...STATIC },
    { tests: { command: test } },
    {
      // The types of the rows of every $queryRaw, with the statements that the tests have run.
      statements: { command: `${node} test/sql/check-statements.ts` },
      fuzz: { command: `${node} test/fuzz/fuzz.ts --short` },
      demo: { command: `${node} scripts/demo.ts --day-two` },
    },
  ],
  campaigns: Object.entries(CAMPAIGNS).map(([name, campaign]) => ({ [name]: campaign })),
};
