import { createInterface } from "node:readline";
import { type ProcessIdentity, terminate } from "./terminate.js";

/*
 * Runs in a process of its own and holds a pipe to its parent. When the pipe closes, whatever the reason, it ends
 * the processes it was told of and then itself.
 */
const registered = new Map<number, ProcessIdentity>();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { watch, forget } = JSON.parse(line) as { watch?: ProcessIdentity; forget?: number };
  if (watch) registered.set(watch.pid, watch);
  if (forget) registered.delete(forget);
});
lines.on("close", async () => {
  await Promise.all([...registered.values()].map((target) => terminate(target)));
  process.exit(0);
});
