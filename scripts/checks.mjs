import { CAMPAIGNS } from "./campaigns.mjs";
import { bin, task } from "./check-commands.mjs";

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
    about: "docs/aws/ and docs/aws-permissions.md match the workers' calls to AWS",
    command: [...task("policies"), "--check"],
    fix: "npm run policies",
    reads: /\.ts$|^docs\/aws[/-]/,
  },
  settings: {
    about: "docs/settings.md, the README's table, and the chart's schema and README match the settings",
    command: [...task("settings"), "--check"],
    fix: "npm run settings",
    reads: /^packages\/runtime\/|^scripts\/settings|^docs\/settings\.md$|^README\.md$|^deploy\/helm\//,
  },
  metrics: {
    about: "the tables of docs/metrics.md match the metrics",
    command: [...task("metrics"), "--check"],
    fix: "npm run metrics",
    reads: /^packages\/telemetry\/|^scripts\/metrics|^docs\/metrics\.md$/,
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
  ...CAMPAIGNS,
};

/** Steps that follow each other, each of lanes that run at the same time, each of checks that follow each other. */
export const PLANS = {
  check: [
    [
      ["types", "lint", "words", "language", "boundaries", "openapi"],
      ["format", "unused", "test entries", "policies", "settings", "metrics", "secrets"],
    ],
    [["fast tests"]],
  ],
  verify: [
    [
      ["format", "lint", "words", "language", "types", "build"],
      [
        "boundaries",
        "test entries",
        "unused",
        "openapi",
        "policies",
        "settings",
        "metrics",
        "secrets",
        "supply",
        "migrations",
      ],
    ],
    [["tests"]],
    [["fuzz"], ["demo"]],
  ],
  campaigns: Object.keys(CAMPAIGNS).map((name) => [[name]]),
};
