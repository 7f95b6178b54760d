import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify, stripVTControlCharacters } from "node:util";
import { variables } from "./run-environment.js";

const here = import.meta.dirname;

/** The end of a run of the command. */
export interface Run {
  code: number | null;
  out: string;
  err: string;
}

/** A command with a folder of its own for its contexts. */
export interface TestCommand {
  file: string;
  /** A folder for PATH, with `gantry` in it. */
  bin: string;
  env: Record<string, string>;
  /** Runs it on pipes. */
  run(words: readonly string[], options?: { input?: string; env?: Record<string, string> }): Promise<Run>;
  /** Runs it in a terminal. */
  inTerminal(
    words: readonly string[],
    options?: { columns?: number; rows?: number; env?: Record<string, string>; folder?: string },
  ): TerminalRun;
  close(): void;
}

/** A command that runs in a terminal. */
export interface TerminalRun {
  /** All that it has written, with its control sequences. */
  text(): string;
  /** Resolves when what it has written contains a text or matches a pattern. */
  shows(what: string | RegExp): Promise<void>;
  write(text: string): void;
  resize(columns: number, rows: number): void;
  signal(name: NodeJS.Signals): void;
  ended: Promise<number | null>;
}

/** Bundles the command as it ships. */
export async function bundleCommand(env: Record<string, string> = {}): Promise<TestCommand> {
  const folder = mkdtempSync(join(tmpdir(), "gantry-cli-"));
  const file = join(folder, "dist/gantry.js");
  await promisify(execFile)(process.execPath, [join(here, "../../apps/cli/build.mjs"), join(folder, "dist")]);
  writeFileSync(join(folder, "package.json"), '{"type": "module"}');
  mkdirSync(join(folder, "bin"));
  writeFileSync(join(folder, "bin/gantry"), `#!/bin/sh\nexec "${process.execPath}" "${file}" "$@"\n`, { mode: 0o755 });
  const own = {
    PATH: variables.PATH ?? "",
    HOME: folder,
    GANTRY_CONFIG_DIR: join(folder, "config"),
    TERM: "xterm-256color",
    ...env,
  };
  return {
    file,
    bin: join(folder, "bin"),
    env: own,
    run: async (words, { input, env: more } = {}) => {
      const child = spawn(process.execPath, [file, ...words], { env: { ...own, ...more }, cwd: folder, stdio: "pipe" });
      const texts = { out: "", err: "" };
      child.stdout.setEncoding("utf8").on("data", (text) => {
        texts.out += text;
      });
      child.stderr.setEncoding("utf8").on("data", (text) => {
        texts.err += text;
      });
      child.stdin.on("error", () => {}).end(input ?? "");
      const [code] = (await once(child, "close")) as [number | null];
      return { code, ...texts };
    },
    inTerminal: (words, { columns = 80, rows = 24, env: more, folder: cwd = folder } = {}) => {
      const command = [join(here, "terminal.py"), String(columns), String(rows), process.execPath, file, ...words];
      const child = spawn("python3", command, {
        env: { ...own, ...more },
        cwd,
        stdio: ["pipe", "pipe", "inherit"],
      });
      let text = "";
      child.stdout.setEncoding("utf8").on("data", (chunk) => {
        text += chunk;
      });
      const order = (what: object) => child.stdin.write(`${JSON.stringify(what)}\n`);
      const ended = once(child, "close").then(([code]) => code as number | null);
      return {
        text: () => text,
        shows: async (what) => {
          const isShown = () => {
            const plain = stripVTControlCharacters(text);
            return typeof what === "string" ? plain.includes(what) : what.test(plain);
          };
          let isOver = false;
          void ended.then(() => {
            isOver = true;
          });
          while (!isShown()) {
            if (isOver)
              throw new Error(`The command ended before it showed ${what}:\n${stripVTControlCharacters(text)}`);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
        },
        write: (what) => order({ write: what }),
        resize: (...size) => order({ resize: size }),
        signal: (name) => order({ signal: name }),
        ended,
      };
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
