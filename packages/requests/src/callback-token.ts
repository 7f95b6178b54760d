import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** The token with which a server reports to the Request that creates it. Derived from the Request's id, stored nowhere. */
export function callbackToken(masterKey: Uint8Array, requestId: string): string {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "", "gantry: tokens of Requests' callbacks", 32));
  return createHmac("sha256", key).update(requestId).digest("base64url");
}

/** True where `token` is the Request's token. */
export function isCallbackToken(masterKey: Uint8Array, requestId: string, token: string): boolean {
  const expected = Buffer.from(callbackToken(masterKey, requestId));
  const received = Buffer.from(token);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
