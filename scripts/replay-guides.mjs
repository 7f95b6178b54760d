// Replays the diffs of CONTRIBUTING.md on a copy of the working tree. Each must apply and compile, must touch no more files than its
// heading allows, and must fail a check without any one of its files; together they must pass the tests that they extend.
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const ISOLATION = "test/contract/isolation";
const TESTS = ["test/contract/endings", "apps/worker/src/workflows/networks/networks.crash", ISOLATION];
/** The checks that may ask for a file, the fastest first. */
const CHECKS = {
  types: () => isCompiling(),
  migrations: () => isPassing(["migration", "--check"]),
  unused: () => spawnSync(join(copy, "node_modules/.bin/knip"), { cwd: copy }).status === 0,
  isolation: () => isPassing(["test", "--", ISOLATION]),
};

const copy = mkdtempSync(join(tmpdir(), "gantry-guides-"));
const git = (args, input) => execFileSync("git", args, { cwd: copy, input, stdio: ["pipe", "pipe", "inherit"] });
const failures = [];
try {
  copyWorkingTree();
  for (const guide of guides(readFileSync(join(root, "CONTRIBUTING.md"), "utf8"))) replay(guide);
  if (failures.length === 0 && !isPassing(["test", "--", ...TESTS], "inherit")) {
    failures.push("With all diffs applied the tests fail.");
  }
} finally {
  rmSync(copy, { recursive: true, force: true });
}
for (const failure of failures) console.error(failure);
process.exitCode = failures.length > 0 ? 1 : 0;

/** The diffs of the page: the heading, the most files that the heading allows, and the diff of each file. */
function guides(page) {
  return [...page.matchAll(/^## (Add [^\n]*?: (\d+) files?)$[\s\S]*?^```diff\n([\s\S]*?)^```$/gm)].map(
    ([, title, most, diff]) => ({ title, most: Number(most), files: diff.split(/^(?=diff --git )/m) }),
  );
}

function replay({ title, most, files }) {
  if (files.length > most) failures.push(`"${title}" touches ${files.length} files.`);
  for (const left of files.length > 1 ? files : []) {
    apply(files.filter((file) => file !== left));
    const name = left.split("\n", 1)[0].split(" b/")[1];
    const check = Object.keys(CHECKS).find((each) => !CHECKS[each]());
    if (check) console.log(`${check} asks for ${name}`);
    else failures.push(`"${title}" passes without its change of ${name}: nothing asks for it.`);
    git(["reset", "--quiet", "--hard"]);
    git(["clean", "--quiet", "-fd"]);
  }
  apply(files);
  if (!isCompiling("inherit")) failures.push(`"${title}" does not compile.`);
  git(["add", "--all"]);
  git(["commit", "--quiet", "--message", title]);
  console.log(`${title}: ${files.length} replayed`);
}

function apply(files) {
  git(["apply", "--index", "-"], files.join(""));
  generate();
}

function generate() {
  execFileSync(process.execPath, ["scripts/run.mjs", "generate"], { cwd: copy, stdio: "ignore" });
}

function isCompiling(stdio = "ignore") {
  const tsc = join(copy, "node_modules/.bin/tsc");
  return spawnSync(tsc, ["-p", ".", "--incremental", "--tsBuildInfoFile", ".types"], { cwd: copy, stdio }).status === 0;
}

function isPassing(words, stdio = "ignore") {
  return spawnSync(process.execPath, ["scripts/run.mjs", ...words], { cwd: copy, stdio }).status === 0;
}

function copyWorkingTree() {
  const list = ["ls-files", "--cached", "--others", "--exclude-standard", "-z"];
  const files = execFileSync("git", list, { cwd: root, encoding: "utf8" }).split("\0").filter(Boolean);
  for (const file of files) if (existsSync(join(root, file))) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, ".gantry"), join(copy, ".gantry"));
  git(["init", "--quiet"]);
  git(["config", "user.name", "guides"]);
  git(["config", "user.email", "guides@localhost"]);
  git(["add", "--all"]);
  git(["commit", "--quiet", "--message", "copy"]);
  generate();
}
