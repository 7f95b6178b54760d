import { CommandError, EXIT } from "./exit-codes.js";
import type { Terminal } from "./terminal.js";

type Prompts = typeof import("@clack/prompts");
/** What every question of the package accepts. */
interface Place {
  input: Terminal["in"];
  output: Terminal["err"];
  signal: AbortSignal;
}

/**
 * Asks a person, on standard error. Without a terminal this must not be called.
 *
 * @throws CommandError at Ctrl-C, at Ctrl-D, and when the terminal is closed
 */
export async function ask<T>(
  terminal: Terminal,
  question: (prompts: Prompts, place: Place) => Promise<T>,
): Promise<Exclude<T, symbol>> {
  const prompts = await import("@clack/prompts");
  const end = new AbortController();
  const stop = () => end.abort();
  // Without this, the package would wait forever for a terminal that sends nothing more.
  const pressed = (_: unknown, key?: { ctrl?: boolean; name?: string }) => key?.ctrl && key.name === "d" && stop();
  terminal.in.on("keypress", pressed).on("end", stop).on("close", stop);
  try {
    const answer = await question(prompts, { input: terminal.in, output: terminal.err, signal: end.signal });
    if (prompts.isCancel(answer)) throw new CommandError("nothing was done", EXIT.interrupted);
    return answer as Exclude<T, symbol>;
  } finally {
    terminal.in.removeListener("keypress", pressed).removeListener("end", stop).removeListener("close", stop);
  }
}

/** Whether a person agrees; no is proposed. Throws as `ask` does. */
export function agrees(terminal: Terminal, message: string): Promise<boolean> {
  return ask(terminal, ({ confirm }, place) => confirm({ message, initialValue: false, ...place }));
}
