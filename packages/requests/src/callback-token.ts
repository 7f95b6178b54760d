import { createHmac, type KeyObject, timingSafeEqual } from "node:crypto";

/**
 * The token with which a server reports to the Request that creates it. Derived from the Request's id, stored nowhere.
 *
 * @param key the installation's key of callbacks
 */
export function callbackToken(key: KeyObject, requestId: string): string {
  return createHmac("sha256", key).update(requestId).digest("base64url");
}

/** True if `token` is the Request's token. */
export function isCallbackToken(key: KeyObject, requestId: string, token: string): boolean {
  const expected = Buffer.from(callbackToken(key, requestId));
  const received = Buffer.from(token);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
