// Runs Jest with its own options and three more: `--every-case` runs every case of the tests that otherwise draw a sample,
// `--campaigns` runs *.campaign.ts instead of *.test.ts, and `--fast` leaves out the tests that jest.config.mjs calls slow.
const VARIABLES = {
  "--every-case": ["GANTRY_TEST_CASES", "all"],
  "--campaigns": ["GANTRY_TEST_FILES", "campaign"],
  "--fast": ["GANTRY_TEST_SPEED", "fast"],
};

process.argv = process.argv.filter((word) => {
  const [name, value] = VARIABLES[word] ?? [];
  if (name) process.env[name] = value;
  return !name;
});
await import("jest/bin/jest");
