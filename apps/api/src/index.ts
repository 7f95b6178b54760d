export { type Application, buildApp, openApi } from "./app.js";
export { bootstrap, type FirstKeys } from "./bootstrap.js";
export type { Parts } from "./http/house.js";
export { hashPassword } from "./http/passwords.js";
export { mintToken, tokenDigest } from "./http/tokens.js";
export { answerUnreadable } from "./http/unreadable.js";
