import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";
import { operations } from "./operations.plugin.mjs";

export default defineConfig({
  base: "/console/",
  plugins: [react(), operations()],
  resolve: { conditions: ["gantry-source", ...defaultClientConditions] },
  build: {
    emptyOutDir: true,
    // The policy allows no `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
