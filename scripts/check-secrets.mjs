// Looks for keys, tokens and passwords in every file that git knows, and in the whole history of these files.
import { spawnSync } from "node:child_process";
import { closeSync, mkdirSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const folder = join(root, ".gantry", `secrets-${process.pid}`);
const history = join(folder, "history.txt");

mkdirSync(folder, { recursive: true });
try {
  writeHistory();
  // Both scans run, so that all findings can be fixed at once.
  const results = [scan("**/*"), scan("--no-gitignore", history)];
  process.exitCode = results.every(Boolean) ? 0 : 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function writeHistory() {
  const file = openSync(history, "w");
  const { status } = spawnSync("git", ["log", "--patch", "--no-color", "--all"], {
    cwd: root,
    stdio: ["ignore", file, "ignore"],
  });
  closeSync(file);
  if (status !== 0) console.log("There is no git history here, so only the files are checked.");
}

function scan(...words) {
  const secretlint = join(root, "node_modules/.bin/secretlint");
  return (
    spawnSync(secretlint, ["--secretlintrc", ".secretlintrc.json", ...words], { cwd: root, stdio: "inherit" })
      .status === 0
  );
}
