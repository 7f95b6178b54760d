/** A module to load before an app: it reports each compiled WebAssembly module of at least a megabyte. */
const LARGE = 1_000_000;
const { Module } = WebAssembly;

WebAssembly.Module = class extends Module {
  constructor(bytes: BufferSource) {
    super(bytes);
    if (bytes.byteLength >= LARGE) console.error(`compiled ${bytes.byteLength} bytes of WebAssembly`);
  }
} as typeof Module;
