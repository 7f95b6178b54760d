import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const bin = (name) => join(root, "node_modules/.bin", name);
const task = (...words) => [process.execPath, "scripts/run.mjs", ...words];

/** Tests of crashes, of whole workflows and of many processes: `npm run check` leaves them to `npm run verify`. */
const SLOW_TESTS = [
  "/node_modules/",
  "\\.crash\\.test\\.ts$",
  "<rootDir>/test/",
  "<rootDir>/apps/worker/src/workflows/",
  "<rootDir>/apps/worker/src/drift/",
  "<rootDir>/packages/local-stack/",
  "/(interleavings|kinds|dev|signals)\\.test\\.ts$",
];

/**
 * Every check by its name: the command that runs it, and `mend`, the command that mends what it finds. A check fails where its
 * command ends with another code than 0.
 */
export const CHECKS = {
  format: { command: [bin("biome"), "ci", "--linter-enabled=false"], mend: "npm run format" },
  lint: {
    command: [bin("biome"), "ci", "--formatter-enabled=false", "--assist-enabled=false"],
    mend: "npm run lint -- --write",
  },
  words: {
    command: [bin("cspell"), "lint", "--config", "cspell.json", "--no-progress", "--no-summary", "."],
    mend: "the word that the message suggests; cspell.json lists them all",
  },
  boundaries: { command: [bin("depcruise"), "--config", ".dependency-cruiser.cjs", "apps", "packages"] },
  "test entries": {
    command: [bin("depcruise"), "--config", ".dependency-cruiser.tests.cjs", "apps", "packages", "test"],
  },
  unused: { command: [bin("knip")], mend: "a removal of what nothing uses; knip.json names the entries" },
  secrets: {
    command: [process.execPath, "scripts/check-secrets.mjs"],
    mend: "a new secret in place of the one that git knows",
  },
  supply: { command: [...task("sbom"), "--check"] },
  types: { command: [bin("tsc"), "-p", ".", "--incremental", "--tsBuildInfoFile", ".gantry/types.tsbuildinfo"] },
  openapi: { command: [...task("openapi"), "--check"], mend: "npm run openapi" },
  policies: { command: [...task("policies"), "--check"], mend: "npm run policies" },
  build: { command: [bin("tsc"), "-b", "--force", "tsconfig.build.json"] },
  migrations: { command: task("migration", "--check"), mend: "npm run migration -- NAME" },
  "fast tests": { isJest: true, command: task("test", "--testPathIgnorePatterns", ...SLOW_TESTS) },
  tests: { isJest: true, command: task("test") },
  demo: { command: task("demo") },
  guides: { command: [process.execPath, "scripts/replay-guides.mjs"], mend: "the diffs in CONTRIBUTING.md" },
  clients: { command: task("clients") },
  fuzz: { command: task("fuzz", "--short") },
  points: { command: task("chaos:points", "--sample", "40") },
  chaos: { command: task("chaos", "--kills", "40") },
};

/** Steps that follow each other, each of lanes that run at the same time, each of checks that follow each other. */
export const PLANS = {
  check: [
    [
      ["format", "lint", "words", "boundaries", "test entries", "unused", "openapi", "policies", "secrets", "types"],
      ["fast tests"],
    ],
  ],
  verify: [
    [
      ["format", "lint", "words", "types", "build"],
      ["boundaries", "test entries", "unused", "openapi", "policies", "secrets", "supply", "migrations"],
    ],
    [["tests"]],
    [
      ["guides", "points"],
      ["chaos", "fuzz", "demo", "clients"],
    ],
  ],
};
