import { createInterface } from "node:readline";
import { type ProcessIdentity, terminate } from "./terminate.js";

/*
 * The program of a child process whose stdin is a pipe from its parent. When the pipe closes for any reason, the program
 * terminates the registered processes and exits.
 */
const registered = new Map<number, ProcessIdentity>();

const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const { register, unregister } = JSON.parse(line) as { register?: ProcessIdentity; unregister?: number };
  if (register) registered.set(register.pid, register);
  if (unregister) registered.delete(unregister);
});
lines.on("close", async () => {
  await Promise.all([...registered.values()].map((target) => terminate(target)));
  process.exit(0);
});
