import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  resolve: { conditions: ["gantry-source", ...defaultClientConditions] },
  build: {
    emptyOutDir: true,
    // The policy allows no `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
