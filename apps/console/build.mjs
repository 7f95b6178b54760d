// Builds the console into a folder, `apps/console/dist` by default, unless its sources are those of the last build there.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { build } from "vite";

const MIN_COMPRESSED_BYTES = 1024;

const here = import.meta.dirname;
const root = join(here, "../..");
const folder = process.argv[2] ?? join(here, "dist");
const stamp = join(folder, ".sources");

// biome-ignore lint/nursery/noJsRestrictedProperties: Vite and its plugins read it; that of a test chooses React for development
process.env.NODE_ENV = "production";

const inputs = hashOf(["apps/console", "packages/client", "pnpm-lock.yaml", "openapi.json"].flatMap(sourcesIn));
if (!existsSync(stamp) || readFileSync(stamp, "utf8") !== inputs) {
  // Another process may build at the same time: each has a folder of its own until it is complete.
  const outDir = `${folder}.${process.pid}`;
  try {
    await build({ root: here, configFile: join(here, "vite.config.mjs"), build: { outDir }, logLevel: "error" });
    for (const file of filesIn(outDir)) compress(file);
    writeFileSync(join(outDir, ".sources"), inputs);
    replaceWith(outDir);
  } finally {
    rmSync(outDir, { recursive: true, force: true });
  }
}

function replaceWith(outDir) {
  for (;;) {
    rmSync(folder, { recursive: true, force: true });
    try {
      return renameSync(outDir, folder);
    } catch (error) {
      // Another build was there first.
      if (error.code !== "ENOTEMPTY" && error.code !== "EEXIST") throw error;
    }
  }
}

function compress(file) {
  const bytes = readFileSync(file);
  if (bytes.length < MIN_COMPRESSED_BYTES) return;
  writeFileSync(`${file}.br`, brotliCompressSync(bytes));
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
}

function hashOf(files) {
  const hash = createHash("sha256");
  for (const file of files) hash.update(relative(root, file)).update("\0").update(readFileSync(file));
  return hash.digest("hex");
}

function sourcesIn(name) {
  return name.includes(".") ? [join(root, name)] : filesIn(join(root, name)).sort();
}

function filesIn(path) {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === "node_modules" || entry.name.startsWith("dist")) return [];
    return entry.isDirectory() ? filesIn(join(path, entry.name)) : [join(path, entry.name)];
  });
}
