import { createInterface } from "node:readline";
import { end, type KnownProcess } from "./end.js";

/*
 * Runs in a process of its own and holds a pipe to its parent. When the pipe closes, whatever the reason, it ends
 * the processes it was told of and then itself.
 */
const watched = new Map<number, KnownProcess>();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { watch, forget } = JSON.parse(line) as { watch?: KnownProcess; forget?: number };
  if (watch) watched.set(watch.pid, watch);
  if (forget) watched.delete(forget);
});
lines.on("close", async () => {
  await Promise.all([...watched.values()].map((target) => end(target)));
  process.exit(0);
});
