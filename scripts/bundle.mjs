// Bundles the API and the worker into their folders below a folder, as the images have them, or into the folder `bundle`
// of each: Node reads a few files in place of two thousand, so that an app starts in half the time. Packages with native
// code or with pages are not bundled.
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { wasmFile } from "../packages/schema-engine/wasm-file.mjs";

const [target] = process.argv.slice(2);
const root = join(import.meta.dirname, "..");
const apps = { api: ["main", "set-up", "rotate-master-key"], worker: ["main"] };

for (const [app, entries] of Object.entries(apps)) {
  const sources = join(root, "apps", app, "src");
  const outdir = target ? join(target, app, "apps", app, "dist") : join(root, "apps", app, "bundle");
  if (!target) rmSync(outdir, { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const { metafile } = await build({
    entryPoints: entries.map((name) => join(sources, `${name}.ts`)),
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    conditions: ["gantry-source"],
    // Only ES modules lose what no app uses, such as most commands of the AWS SDK.
    mainFields: ["module", "main"],
    external: ["@node-rs/argon2", "@bull-board/*"],
    // Names stay, since logs and metrics show them.
    minifySyntax: true,
    minifyWhitespace: true,
    // Node prints the line of an error that ends an app.
    lineLimit: 120,
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
    metafile: true,
    // Packages of CommonJS ask for Node's own modules by require.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    plugins: [{ name: "files", setup: ({ onLoad }) => keepFiles(onLoad, sources, outdir) }],
  });
  for (const file of Object.keys(metafile.outputs).filter((name) => name.endsWith(".js"))) {
    const [wide] = /.{0,40}[^\0-\xff]/.exec(readFileSync(file, "utf8")) ?? [];
    // Node keeps a file with one such character at two bytes for each.
    if (wide) throw new Error(`${file} would take twice the memory, write \\u in: ${wide}`);
  }
  copyFileSync(wasmFile, join(outdir, basename(wasmFile)));
}

/** Lets sources find files, such as pages, from where their own file would be without a bundle. */
function keepFiles(onLoad, sources, outdir) {
  onLoad({ filter: new RegExp(`^${RegExp.escape(sources)}/.*\\.ts$`) }, ({ path }) => {
    const place = `new URL(${JSON.stringify(`./${relative(sources, path)}`)}, import.meta.url).href`;
    return { loader: "ts", contents: readFileSync(path, "utf8").replaceAll("import.meta.url", place) };
  });
  // Prisma's own module holds the compiler as text, which would stay in memory twice.
  onLoad({ filter: /\/query_compiler_\w+\.postgresql\.wasm-base64\.mjs$/ }, async ({ path }) => {
    const { wasm } = await import(pathToFileURL(path).href);
    writeFileSync(join(outdir, "query-compiler.wasm"), Buffer.from(wasm, "base64"));
    return {
      contents: `import { readFileSync } from "node:fs";
        export const wasm = readFileSync(new URL("./query-compiler.wasm", import.meta.url));`,
    };
  });
  onLoad({ filter: /\/@prisma\/client\/runtime\/client\.m?js$/ }, ({ path }) => ({
    contents: withSparseEdges(readFileSync(path, "utf8")),
  }));
  onLoad({ filter: /\/wasm-file\.mjs$/ }, () => ({
    contents: `import { fileURLToPath } from "node:url";
      export const wasmFile = fileURLToPath(new URL("./${basename(wasmFile)}", import.meta.url));`,
  }));
}

/**
 * Prisma keeps the edges of its graph of parameters in objects by numbers that are far apart, and V8 reserves memory for
 * the numbers between: 16 MB. It reserves nothing once an object has had a number that is too large for an array.
 */
function withSparseEdges(source) {
  const parts = source.split(/(\w=\{\};)(?=for\(.{0,300}?\.push\(\{edges:\w\}\))/);
  if (parts.length !== 5)
    throw new Error("Prisma's graph of parameters is built in another way: adapt withSparseEdges");
  return parts.map((part, i) => (i % 2 ? `${part[0]}={4000000000:0};delete ${part[0]}[4000000000];` : part)).join("");
}
