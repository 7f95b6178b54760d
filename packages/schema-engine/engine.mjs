import { readFileSync } from "node:fs";
import { bindMigrationAwareSqlAdapterFactory } from "@prisma/driver-adapter-utils";
import * as glue from "@prisma/schema-engine-wasm/schema_engine_bg";
import { adapterFactory } from "./adapters.mjs";
import { wasmFile } from "./wasm-file.mjs";

let panic = "";
let engineClass;

/** Returns the text of the engine's last panic, or an empty string. */
export const lastPanic = () => panic;

function loadEngine() {
  if (engineClass) return engineClass;
  globalThis.PRISMA_WASM_PANIC_REGISTRY = {
    set_message: (message) => {
      panic = message;
    },
  };
  const module = new WebAssembly.Module(readFileSync(wasmFile));
  const instance = new WebAssembly.Instance(module, { "./schema_engine_bg.js": neverWaiting(glue) });
  glue.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  engineClass = glue.SchemaEngine;
  return engineClass;
}

// The engine never clears the timeout of its advisory lock; the timer must not keep a process alive.
function neverWaiting(imports) {
  return Object.fromEntries(
    Object.entries(imports).map(([name, act]) => {
      if (!name.startsWith("__wbg_setTimeout_")) return [name, act];
      const unref = (...args) => {
        const timer = act(...args);
        timer?.unref?.();
        return timer;
      };
      return [name, unref];
    }),
  );
}

/**
 * Calls one method of the engine's JSON-RPC interface. Every call creates an engine, so that no call inherits another's
 * shadow database or session.
 */
export async function callEngine({ url, shadowDatabaseUrl, datamodels, log = () => {} }, method, params) {
  const factory = adapterFactory(url, shadowDatabaseUrl);
  const opened = [];
  for (const name of ["connect", "connectToShadowDb"]) {
    const open = factory[name];
    factory[name] = async () => {
      const adapter = await open();
      opened.push(adapter);
      return adapter;
    };
  }
  const engine = await loadEngine().new({ datamodels }, log, bindMigrationAwareSqlAdapterFactory(factory));
  try {
    // This build opens a shadow database in the two methods only after a diagnosis in the same engine.
    if (method === "evaluateDataLoss" || method === "createMigration") {
      await engine.devDiagnostic({ migrationsList: params.migrationsList, filters: params.filters });
    }
    return await engine[method](params);
  } finally {
    engine.free();
    for (const adapter of opened) await adapter.dispose().catch(() => {});
  }
}
