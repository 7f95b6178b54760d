import { createRequire } from "node:module";

const code = createRequire(import.meta.url).resolve("@prisma/schema-engine-wasm/schema_engine_bg");

/** The file of the engine. A bundle has it beside its own files. */
export const wasmFile = code.replace(/\.js$/, ".wasm");
