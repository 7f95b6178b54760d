import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { until } from "../test/support/until.js";

const root = fileURLToPath(new URL("..", import.meta.url));

it("lists the tasks if the requested one does not exist", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", "strat"], { cwd: root, encoding: "utf8" });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Unknown task "strat"\. The tasks are:\n {2}start +\w/);
});

it("ends with the exit code of the task", () => {
  const words = ["scripts/run.mjs", "lint", "no-such-folder"];
  expect(spawnSync(process.execPath, words, { cwd: root }).status).not.toBe(0);
  expect(spawnSync(process.execPath, ["scripts/run.mjs", "lint", "scripts/run.mjs"], { cwd: root }).status).toBe(0);
});

it("ends its task on a signal, and says which signal ended it", async () => {
  const running = spawn(process.execPath, ["scripts/run.mjs", "lint", "--stdin-file-path=waits.ts"], { cwd: root });
  const isTaskRunning = () => spawnSync("pgrep", ["-P", String(running.pid), "-f", "biome"]).status === 0;
  await until(async () => isTaskRunning());
  const [output, exited] = [text(running.stderr), once(running, "exit")];
  running.kill("SIGTERM");
  expect(await exited).toEqual([1, null]);
  running.stdin.end();
  expect(await output).toContain('SIGTERM ended the task "lint".');
});
