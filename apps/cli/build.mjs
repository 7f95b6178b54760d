// Bundles the command into one file that needs nothing but Node: dist/gantry.js.
import { join } from "node:path";
import { build } from "esbuild";

await build({
  entryPoints: [join(import.meta.dirname, "src/main.ts")],
  outfile: join(import.meta.dirname, "dist/gantry.js"),
  bundle: true,
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
