#!/usr/bin/env node
// Replaces Prisma's native schema-engine: serves the same JSON-RPC over stdio from the WebAssembly build.
import { readFileSync } from "node:fs";
import readline from "node:readline";
import pg from "pg";
import { onServer, splitUrl } from "../connections.mjs";
import { callEngine, lastPanic } from "../engine.mjs";

const words = process.argv.slice(2);
const schemaFiles = [];
let datasource = {};
let command;
for (let i = 0; i < words.length; i++) {
  if (words[i] === "--datamodels") schemaFiles.push(words[++i]);
  else if (words[i] === "--datasource") datasource = JSON.parse(words[++i]);
  else if (words[i] === "--version") {
    console.log("schema-engine-cli wasm");
    process.exit(0);
  } else if (words[i] === "cli") command = words[++i];
  else if (words[i].startsWith("--")) i++;
}
const { url, shadowDatabaseUrl } = datasource;

async function createDatabase() {
  const { database } = splitUrl(url);
  await onServer(url, (client) => client.query(`CREATE DATABASE ${pg.escapeIdentifier(database)}`));
  return { databaseName: database };
}

const commands = {
  "can-connect-to-database": async () => {
    const client = new pg.Client({ connectionString: splitUrl(url).url });
    await client.connect();
    await client.end();
  },
  "create-database": createDatabase,
  "drop-database": () =>
    onServer(url, (client) =>
      client.query(`DROP DATABASE IF EXISTS ${pg.escapeIdentifier(splitUrl(url).database)} WITH (FORCE)`),
    ),
};

function prismaError(error) {
  const { host, pathname, username } = new URL(url);
  const known = {
    "3D000": ["P1003", `Database ${pathname.slice(1)} does not exist`],
    "28P01": ["P1000", `Authentication failed against the database server for user ${username}`],
    ECONNREFUSED: ["P1001", `Can't reach database server at ${host}`],
    ENOTFOUND: ["P1001", `Can't reach database server at ${host}`],
  };
  const [error_code, message] = known[error.code] ?? ["P1010", error.message];
  return { level: "ERROR", target: "schema_engine::logger", fields: { error_code, message } };
}

if (command) {
  try {
    if (!commands[command]) throw new Error(`unsupported: cli ${command}`);
    await commands[command]();
    process.exit(0);
  } catch (error) {
    // Prisma parses stderr from its second line on.
    process.stderr.write(`\n${JSON.stringify(prismaError(error))}\n`);
    process.exit(1);
  }
}

const context = {
  url,
  shadowDatabaseUrl,
  datamodels: schemaFiles.length ? schemaFiles.map((path) => [path, readFileSync(path, "utf8")]) : undefined,
  log: (line) => {
    if (process.env.DEBUG) process.stderr.write(`${line}\n`);
  },
};
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
let prints = 0;

async function answer({ id, method, params }) {
  try {
    if (method === "createDatabase") return send({ id, result: await createDatabase() });
    const result = await callEngine(context, method === "getDatabaseVersion" ? "version" : method, params ?? {});
    if (method !== "diff") return send({ id, result: result ?? null });
    if (result.stdout) {
      const content = result.stdout.replace(/\n$/, "");
      send({ id: `print-${++prints}`, method: "print", params: { content } });
    }
    send({ id, result: { exitCode: result.exitCode } });
  } catch (error) {
    const is_panic = error instanceof WebAssembly.RuntimeError;
    const message = is_panic ? lastPanic() || error.message : String(error?.message ?? error);
    send({ id, error: { code: 4466, message, data: { is_panic, message, error_code: error?.code, meta: null } } });
  }
}

let queue = Promise.resolve();
const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => {
  const message = line.trim() ? JSON.parse(line) : {};
  if (message.method) queue = queue.then(() => answer(message));
});
lines.on("close", () => queue.finally(() => process.exit(0)));
