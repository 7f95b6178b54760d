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
  await build({
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
    sourcemap: true,
    sourcesContent: false,
    legalComments: "none",
    logLevel: "warning",
    // Packages of CommonJS ask for Node's own modules by require.
    banner: {
      js: 'import { createRequire as __createRequire } from "node:module"; const require = __createRequire(import.meta.url);',
    },
    plugins: [{ name: "files", setup: ({ onLoad }) => keepFiles(onLoad, sources, outdir) }],
  });
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
  onLoad({ filter: /\/wasm-file\.mjs$/ }, () => ({
    contents: `import { fileURLToPath } from "node:url";
      export const wasmFile = fileURLToPath(new URL("./${basename(wasmFile)}", import.meta.url));`,
  }));
}
