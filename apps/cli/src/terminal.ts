import { styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** The streams of the command, and what they can show. Results go to `out`, everything else to `err`. */
export interface Terminal {
  out: NodeJS.WriteStream;
  err: NodeJS.WriteStream;
  in: NodeJS.ReadStream;
  env: NodeJS.ProcessEnv;
  /** Whether a person sees `err` and can answer. */
  isInteractive: boolean;
  /** Whether `err` can show a view that is drawn again. */
  isLive: boolean;
  style(style: Style, text: string): string;
}

/** A terminal that does not say its size has the usual one. */
function widen(stream: NodeJS.WriteStream): void {
  if (!stream.isTTY) return;
  stream.columns ||= 80;
  stream.rows ||= 24;
}

export function terminalOf(
  { stdout, stderr, stdin, env }: Pick<NodeJS.Process, "stdout" | "stderr" | "stdin" | "env">,
  { color = true, input = true }: { color?: boolean; input?: boolean } = {},
): Terminal {
  for (const stream of [stdout, stderr]) widen(stream);
  const canMove = stderr.isTTY === true && env.TERM !== "dumb" && !env.CI;
  const hasColor = color && stderr.isTTY === true && env.TERM !== "dumb" && !env.NO_COLOR;
  return {
    out: stdout,
    err: stderr,
    in: stdin,
    env,
    isInteractive: input && stdin.isTTY === true && stderr.isTTY === true,
    isLive: canMove,
    style: (style, text) => (hasColor ? styleText(style, text, { validateStream: false }) : text),
  };
}
