// Bundles the command into dist/gantry.js and parts that are loaded when they are needed; they need nothing but Node.
import { join } from "node:path";
import { build } from "esbuild";

await build({
  entryPoints: { gantry: join(import.meta.dirname, "src/main.ts") },
  outdir: join(import.meta.dirname, "dist"),
  bundle: true,
  splitting: true,
  chunkNames: "parts/[hash]",
  platform: "node",
  target: "node22",
  format: "esm",
  conditions: ["gantry-source"],
  minify: true,
  // Packages of CommonJS ask for Node's own modules by require.
  banner: { js: 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);' },
  legalComments: "none",
  logLevel: "warning",
});
