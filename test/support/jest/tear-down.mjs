/** Stops what set-up.mjs started. */
export default () => globalThis.stopStack();
