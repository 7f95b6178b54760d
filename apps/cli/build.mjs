// Bundles the command and all packages that it uses into a folder (dist by default), so that it needs nothing but Node.
// What few commands need is in files of its own, which are loaded late: one file would start 60 ms later.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";

const [folder = join(import.meta.dirname, "dist")] = process.argv.slice(2);

rmSync(folder, { recursive: true, force: true });
await build({
  entryPoints: { gantry: join(import.meta.dirname, "src/main.ts") },
  outdir: folder,
  bundle: true,
  splitting: true,
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
