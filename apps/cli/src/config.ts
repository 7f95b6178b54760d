import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { CommandError } from "./exit-codes.js";

/** An address with a way to sign in. */
export interface Context {
  url: string;
  account?: string;
  token?: string;
  /** True if `gantry login` created the token, for this machine alone. */
  made_by_login?: boolean;
  /** A command whose output is the token, so that the token stays in a password manager. */
  credential_command?: string;
}

export interface Config {
  current?: string;
  contexts: Record<string, Context>;
}

/** The file of the contexts, which only its owner can read. */
export class ConfigFile {
  readonly path: string;
  readonly #folder: string;

  constructor(env: NodeJS.ProcessEnv) {
    this.#folder = folderOf(env);
    this.path = join(this.#folder, "config.json");
  }

  /** @throws CommandError if others can read it, or it is no JSON */
  read(): Config {
    if (!existsSync(this.path)) return { contexts: {} };
    if (process.platform !== "win32" && statSync(this.path).mode & 0o077) {
      throw new CommandError(`others can read ${this.path}, which holds tokens`, 2, [`chmod 600 ${this.path}`]);
    }
    try {
      return { contexts: {}, ...(JSON.parse(readFileSync(this.path, "utf8")) as Partial<Config>) };
    } catch (error) {
      throw new CommandError(`${this.path} is not valid JSON: ${(error as Error).message}`, 2, [
        "repair or remove the file",
      ]);
    }
  }

  /** Leaves the file as it is. @throws CommandError if it could not be replaced with a config of this size */
  check(config: Config): void {
    this.#draft(" ".repeat(Buffer.byteLength(textOf(config))), (draft) => rmSync(draft));
  }

  /** Replaces the file as a whole: a full disk leaves the old one. */
  write(config: Config): void {
    this.#draft(textOf(config), (draft) => renameSync(draft, this.path));
  }

  /** Writes a new file beside the file, for `use`. */
  #draft(text: string, use: (draft: string) => void): void {
    const draft = `${this.path}.${process.pid}`;
    try {
      mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
      writeFileSync(draft, text, { mode: 0o600 });
      use(draft);
    } catch (error) {
      throw new CommandError(`${this.path} cannot be written: ${(error as Error).message}`, 1, [
        "set GANTRY_CONFIG_DIR to a folder that can be written",
      ]);
    }
  }
}

function textOf(config: Config): string {
  return `${JSON.stringify(config, null, 2)}\n`;
}

function folderOf(env: NodeJS.ProcessEnv): string {
  if (env.GANTRY_CONFIG_DIR) return env.GANTRY_CONFIG_DIR;
  if (process.platform === "win32" && env.APPDATA) return join(env.APPDATA, "gantry");
  return join(env.XDG_CONFIG_HOME ?? join(env.HOME ?? homedir(), ".config"), "gantry");
}
