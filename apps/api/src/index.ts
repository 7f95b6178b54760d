export { type Application, buildApp, openApi } from "./app.js";
export { bootstrap, type FirstKeys } from "./bootstrap.js";
export type { AppDependencies } from "./http/context.js";
export { ERROR_CODES } from "./http/errors.js";
export { hashPassword } from "./http/passwords.js";
export { httpServer } from "./http/server.js";
export { mintToken, tokenDigest } from "./http/tokens.js";
export { cancel } from "./resources/requests/cancel.js";
