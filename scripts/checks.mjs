import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (name) => join(root, "node_modules/.bin", name);
const task = (...words) => [process.execPath, "scripts/run.mjs", ...words];
/** Every case of the test files that a campaign names, without a second run that would excuse a failure. */
const everyCase = (...words) => task("test", "--strict", "--every-case", ...words);

/** Tests of crashes, of whole workflows and of many processes, which `npm run check` always leaves to `npm test`. */
const SLOW_TESTS = [
  "**/*.crash.test.ts",
  "test/**",
  "scripts/**",
  "apps/worker/src/workflows/**",
  "apps/worker/src/drift/**",
  "apps/worker/src/offers/**",
  "apps/worker/src/webhooks/**",
  "packages/local-stack/**",
  "**/{first-boot.sandbox,identities,interleavings,kinds,outage,request-conflicts}.test.ts",
];

/** Tests of single resources: `npm run check -- --changed` runs those that a change can break. */
const RESOURCE_TESTS = "apps/api/src/resources/**";

const without = (globs) => globs.flatMap((glob) => ["--exclude", glob]);

/**
 * Every check by its name: the command that runs it, and its other properties. A check fails if its command exits with
 * a code other than 0.
 *
 * - `about`: what it proves.
 * - `commandForChanged`: the command with `--changed`, which gets the changed files.
 * - `fix`: the command that fixes what it finds.
 * - `minutes`: the budget, after which it is ended and has failed; 40 unless set.
 * - `reads`: `--changed` leaves the check out if no changed file matches.
 * - `isTest`: its command is `npm test`, which counts tests.
 */
export const CHECKS = {
  format: {
    about: "the format of every file",
    command: [bin("biome"), "ci", "--linter-enabled=false"],
    fix: "npm run format",
  },
  lint: {
    about: "the rules of the linter",
    command: [bin("biome"), "ci", "--formatter-enabled=false", "--assist-enabled=false"],
    fix: "npm run lint -- --write",
  },
  words: {
    about: "words for which the glossary has better ones",
    command: [bin("cspell"), "lint", "--config", "cspell.json", "--no-progress", "--no-summary", "."],
    fix: "the word in the message; cspell.json lists all of them",
  },
  language: {
    about: "phrases in comments, docs and string literals that plain English has better ones for",
    command: [process.execPath, "scripts/check-language.mjs", "--literals"],
    fix: "the words that the message suggests; scripts/check-language.mjs lists them all",
    reads: /\.(ts|[cm]js|md|prisma|sql)$/,
  },
  boundaries: {
    about: "the directions of imports between apps and packages",
    command: [bin("depcruise"), "--config", ".dependency-cruiser.cjs", "apps", "packages"],
    reads: /\.[cm]?[jt]s$|package\.json$/,
  },
  "test entries": {
    about: "tests import an app only through its entry point",
    command: [bin("depcruise"), "--config", ".dependency-cruiser.tests.cjs", "apps", "packages", "test"],
    reads: /\.[cm]?[jt]s$|package\.json$/,
  },
  unused: {
    about: "no unused file, export or dependency",
    command: [bin("knip")],
    fix: "remove what is unused; knip.json lists the entry points",
    reads: /\.[cm]?[jt]s$|\.json$/,
  },
  secrets: {
    about: "no secret in a file or in the history",
    command: [process.execPath, "scripts/check-secrets.mjs"],
    fix: "replace the secret that is in git by a new one",
  },
  supply: {
    about: "ages and licenses of the packages",
    command: [...task("sbom"), "--check"],
    reads: /package\.json$|pnpm-/,
  },
  types: {
    about: "the types of every file",
    command: [bin("tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", ".gantry/types.tsbuildinfo"],
    reads: /\.[cm]?[jt]s$|\.json$|\.prisma$/,
  },
  openapi: {
    about: "openapi.json matches the endpoints",
    command: [...task("openapi"), "--check"],
    fix: "npm run openapi",
    reads: /\.ts$|openapi\.json$/,
  },
  policies: {
    about: "docs/aws/ matches the workers' calls to AWS",
    command: [...task("policies"), "--check"],
    fix: "npm run policies",
    reads: /\.ts$|^docs\/aws\//,
  },
  settings: {
    about: "docs/settings.md and the README's table match the settings",
    command: [...task("settings"), "--check"],
    fix: "npm run settings",
    reads: /^packages\/runtime\/|^scripts\/settings|^docs\/settings\.md$|^README\.md$/,
  },
  build: { about: "the build for production", command: [bin("tsc"), "-b", "--force", "tsconfig.build.json"] },
  migrations: {
    about: "the migrations create the schema, only expand it, and never change; the functions can be applied",
    command: task("migration", "--check"),
    fix: "npm run migration -- NAME",
  },
  "fast tests": {
    about: "the tests that take seconds",
    isTest: true,
    command: task("test", ...without([...SLOW_TESTS, RESOURCE_TESTS])),
    commandForChanged: task("test", ...without(SLOW_TESTS)),
  },
  tests: { about: "every guarantee once", isTest: true, command: task("test") },
  demo: { about: "the demo", command: task("demo"), minutes: 10 },
  fuzz: { about: "a short fuzz of the API from its own document", command: task("fuzz", "--short"), minutes: 10 },

  crashes: {
    about: "a crash and a rejection at every AWS call of every scenario, and every transient AWS error",
    command: everyCase(".crash.test.ts"),
    minutes: 30,
  },
  permissions: {
    about: "every scenario with the shipped policies, and with each permission removed",
    command: everyCase("test/permissions"),
    minutes: 20,
  },
  kills: {
    about: "the demo with the same result after kills of its worker",
    command: everyCase("--campaigns", "test/chaos"),
    minutes: 15,
  },
  isolation: {
    about: "every id in every operation, sent by each kind of caller without access to it",
    command: everyCase("test/contract/isolation"),
    minutes: 15,
  },
  "list reads": {
    about: "the rows and queries of every list, with every filter and in every order, over 60,000 rows",
    command: everyCase("test/contract/list-reads", "test/contract/queries"),
    minutes: 15,
  },
  "hostile values": {
    about: "every name of Object's prototype in every text field, and numbers that no column holds",
    command: everyCase("test/contract/hostile-values"),
    minutes: 15,
  },
  answers: {
    about: "each call of each Request, with each transient AWS error once",
    command: everyCase("--campaigns", "test/matrix"),
    minutes: 40,
  },
  "master key": {
    about: "a change of the master key while the apps run, under kills",
    command: everyCase("--campaigns", "scripts/rotate-master-key"),
    minutes: 15,
  },
  smoke: {
    about: "the smoke test for real AWS, against the emulator",
    command: everyCase("--campaigns", "scripts/smoke-aws"),
    minutes: 15,
  },
  signals: {
    about: "every signal to every process of a command, and a start after a hard kill",
    command: everyCase("scripts/signals"),
    minutes: 20,
  },
  streams: {
    about: "two hundred event readers that are disconnected at random",
    command: everyCase("resources/events/event.endpoints"),
    minutes: 15,
  },
  examples: {
    about: "the scripts of examples/",
    command: everyCase("--campaigns", "test/docs/examples"),
    minutes: 15,
  },
  browser: {
    about: "the documentation at /docs and the queues at /queues in Chromium",
    command: everyCase("--campaigns", "test/docs/browser"),
    minutes: 15,
  },
  clients: {
    about: "clients from three generators; each provisions a network",
    command: everyCase("--campaigns", "test/clients"),
    minutes: 15,
  },
  templates: {
    about: "the types and lint of what npm run new writes",
    command: everyCase("--campaigns", "test/templates"),
    minutes: 10,
  },
  points: {
    about: "a kill of a worker process at every crash point of every workflow",
    command: task("chaos:points"),
    minutes: 40,
  },
  cancels: {
    about: "a cancel at every crash point, a rejection of every call, then a retry",
    command: task("chaos:points", "--cancel"),
    minutes: 30,
  },
  chaos: { about: "random faults under load, with 300 kills", command: task("chaos", "--kills", "300"), minutes: 40 },
  fairness: { about: "single creates during a flood of 2,000", command: task("chaos:fairness"), minutes: 30 },
  deploys: {
    about: "fifty restarts under load, old and new builds side by side",
    command: task("chaos:deploy"),
    minutes: 30,
  },
  waiting: { about: "ten thousand Requests that wait for RDS", command: task("chaos:waiting"), minutes: 20 },
  "long fuzz": {
    about: "50,000 calls from the API's own document",
    command: task("fuzz", "--calls", "50000"),
    minutes: 60,
  },
};

/** Steps that follow each other, each of lanes that run at the same time, each of checks that follow each other. */
export const PLANS = {
  check: [
    [
      ["types", "lint", "words", "language", "boundaries", "openapi"],
      ["format", "unused", "test entries", "policies", "settings", "secrets"],
    ],
    [["fast tests"]],
  ],
  verify: [
    [
      ["format", "lint", "words", "language", "types", "build"],
      ["boundaries", "test entries", "unused", "openapi", "policies", "settings", "secrets", "supply", "migrations"],
    ],
    [["tests"]],
    [["fuzz"], ["demo"]],
  ],
  campaigns: [
    "crashes",
    "permissions",
    "kills",
    "isolation",
    "list reads",
    "hostile values",
    "answers",
    "master key",
    "smoke",
    "signals",
    "streams",
    "examples",
    "browser",
    "clients",
    "templates",
    "points",
    "cancels",
    "chaos",
    "fairness",
    "deploys",
    "waiting",
    "long fuzz",
  ].map((name) => [[name]]),
};
