import { gzipSync } from "node:zlib";
import { bundleClient } from "../bundle.mjs";

it("needs at most 12 kB in a browser, and no module of Node", async () => {
  const text = await bundleClient();
  expect(gzipSync(text).length).toBeLessThanOrEqual(12_000);
  expect(text).not.toMatch(/\bimport\b|"node:/);
});
