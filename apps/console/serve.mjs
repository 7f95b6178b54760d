// Serves the console from its sources with hot reload, and passes every other path to the API, whose URL it is given.
import { join } from "node:path";
import { createServer } from "vite";

const [api] = process.argv.slice(2);
const root = import.meta.dirname;

const server = await createServer({
  root,
  configFile: join(root, "vite.config.mjs"),
  logLevel: "error",
  server: { host: "127.0.0.1", proxy: { "^/(?!console/)": { target: api } } },
});
await server.listen();
process.send?.(server.resolvedUrls?.local[0]);
process.on("disconnect", () => process.exit());
