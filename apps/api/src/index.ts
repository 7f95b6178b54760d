export { type Application, buildApp, openApi } from "./app.js";
export { bootstrap, type FirstKeys } from "./bootstrap.js";
export { hashPassword } from "./http/auth/passwords.js";
export { mintToken, tokenDigest } from "./http/auth/tokens.js";
export type { AppDependencies } from "./http/context.js";
export { ERROR_CODES } from "./http/errors/errors.js";
export { removedRecords } from "./http/plans/removed-records.js";
export { httpServer } from "./http/server/server.js";
export { cancel } from "./resources/requests/cancel.js";
