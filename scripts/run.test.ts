import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { until } from "../test/support/until.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const LINT = ["scripts/run.mjs", "node_modules/@biomejs/biome/bin/biome", "lint"];

it("ends with the exit code of the program", () => {
  expect(spawnSync(process.execPath, [...LINT, "no-such-folder"], { cwd: root }).status).not.toBe(0);
  expect(spawnSync(process.execPath, [...LINT, "scripts/run.mjs"], { cwd: root }).status).toBe(0);
});

it("ends its program on a signal, and says which signal ended it", async () => {
  const running = spawn(process.execPath, [...LINT, "--stdin-file-path=waits.ts"], { cwd: root });
  const isProgramRunning = () => spawnSync("pgrep", ["-P", String(running.pid), "-f", "biome"]).status === 0;
  await until(async () => isProgramRunning());
  const [output, exited] = [text(running.stderr), once(running, "exit")];
  running.kill("SIGTERM");
  expect(await exited).toEqual([1, null]);
  running.stdin.end();
  expect(await output).toMatch(/SIGTERM ended .*biome lint/);
});
