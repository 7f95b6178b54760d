export { callbackToken, isCallbackToken } from "./callback-token.js";
export { createRequest, insertRequests, type NewRequest } from "./create-request.js";
export { IDEMPOTENCY_KEY_DAYS } from "./idempotency-keys.js";
export { RUNNABLE } from "./runnable.js";
export { countUnfinished, type UnfinishedCounts } from "./unfinished-counts.js";
