import react from "@vitejs/plugin-react";
import { defaultClientConditions, defineConfig } from "vite";

export default defineConfig({
  base: "/console/",
  plugins: [react()],
  // The environment of a test would choose React's build for development.
  define: { "process.env.NODE_ENV": '"production"' },
  resolve: { conditions: ["gantry-source", ...defaultClientConditions] },
  build: {
    emptyOutDir: true,
    // The policy allows no `data:` URL.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
});
