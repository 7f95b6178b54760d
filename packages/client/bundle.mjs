// Bundles the client for browsers, as a page would load it.
import { build } from "esbuild";

export async function bundleClient() {
  const { outputFiles } = await build({
    stdin: { contents: 'export { Gantry, verifyWebhook } from "@gantry/client";', resolveDir: import.meta.dirname },
    bundle: true,
    minify: true,
    format: "esm",
    platform: "browser",
    conditions: ["gantry-source"],
    write: false,
  });
  return outputFiles[0].text;
}
