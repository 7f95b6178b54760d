// Records in .gantry/statements which statement runs at which line of the product; test/sql/check-statements.ts reads it.
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const folder = join(import.meta.dirname, "../../../.gantry/statements");
const file = join(folder, `${process.pid}.ndjson`);

// A stack costs more than many a statement, and few texts come from more than one line.
const STACKS_PER_TEXT = 3;
const CALLER = /\/((?:apps|packages)\/[^/]+\/src\/(?!client\.ts|generated\/)[^?:]+\.ts)(?:\?\d+)?:(\d+)/;

export function emptyRecording() {
  rmSync(folder, { recursive: true, force: true });
}

/** Records the statements of this process from now on. */
export function recordStatements() {
  mkdirSync(folder, { recursive: true });
  const stacks = new Map();
  const records = new Set();
  subscribe("gantry:statement", ({ text }) => {
    const count = stacks.get(text) ?? 0;
    if (count === STACKS_PER_TEXT) return;
    stacks.set(text, count + 1);
    const [, path, line] = CALLER.exec(new Error().stack) ?? [];
    const record = JSON.stringify({ path, line: Number(line), text });
    if (!path || records.has(record)) return;
    records.add(record);
    appendFileSync(file, `${record.slice(0, -1)},"at":${Date.now()}}\n`);
  });
}
