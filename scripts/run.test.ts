import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "@jest/globals";

const root = fileURLToPath(new URL("..", import.meta.url));

it("names every task, each of which npm knows too, where it is asked for one that there is not", () => {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/run.mjs", "strat"], { cwd: root, encoding: "utf8" });
  expect(status).toBe(1);
  const [first, ...lines] = stderr.trim().split("\n");
  expect(first).toBe('There is no task "strat". The tasks are:');
  const { scripts } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as { scripts: Record<string, string> };
  const tasks = lines.map((line) => line.trim().split(" ")[0]);
  expect(Object.entries(scripts)).toEqual(tasks.map((task) => [task, `node scripts/run.mjs ${task}`]));
});

it("ends with the exit code of the task", () => {
  const words = ["scripts/run.mjs", "lint", "no-such-folder"];
  expect(spawnSync(process.execPath, words, { cwd: root }).status).not.toBe(0);
  expect(spawnSync(process.execPath, ["scripts/run.mjs", "lint", "scripts/run.mjs"], { cwd: root }).status).toBe(0);
});
