import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Gantry } from "@gantry/client";

const LOCAL = join(import.meta.dirname, "..", ".gantry", "local.json");

/** The place at which a script finds the API, in the words of its help. */
export const CONNECTION_HELP = `  --url URL        the URL of the API (default: GANTRY_URL, or a running npm start)
  --token TOKEN    a token with the scopes read, write and admin (default: GANTRY_TOKEN, or a running npm start)`;

/** The options of `parseArgs` for the connection. */
export const CONNECTION_OPTIONS = { url: { type: "string" }, token: { type: "string" } } as const;

/**
 * A client of the API that the options, the environment or a running `npm start` name.
 *
 * @throws Error if the address or the token is missing
 */
export function connect(options: { url?: string | undefined; token?: string | undefined }): Gantry {
  const local = readLocal();
  const baseUrl: string | undefined = options.url ?? process.env.GANTRY_URL ?? local.base_url;
  const token: string | undefined = options.token ?? process.env.GANTRY_TOKEN ?? local.token;
  if (!baseUrl || !token) {
    throw new Error("Set --url and --token, or GANTRY_URL and GANTRY_TOKEN, or run npm start.");
  }
  return new Gantry({ baseUrl, token });
}

/**
 * The database's address: DATABASE_URL, or that of a running `npm start`.
 *
 * @throws Error if there is neither
 */
export function connectDatabase(): string {
  const url: string | undefined = process.env.DATABASE_URL ?? readLocal().database_url;
  if (!url) throw new Error("Set DATABASE_URL, or run npm start.");
  return url;
}

function readLocal() {
  return existsSync(LOCAL) ? JSON.parse(readFileSync(LOCAL, "utf8")) : {};
}
