import { createProxy } from "./proxy.js";

const [port, settings = "{}"] = process.argv.slice(2);

process.on("disconnect", () => process.exit(0));
process.on("SIGTERM", () => process.exit(0));
createProxy(JSON.parse(settings)).listen(Number(port), "127.0.0.1", () => process.send?.("ready"));
