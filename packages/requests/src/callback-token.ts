import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** What lets a server report to the Request that makes it, and to no other: derived, so that it is stored nowhere. */
export function callbackToken(masterKey: Uint8Array, requestId: string): string {
  const key = Buffer.from(hkdfSync("sha256", masterKey, "", "gantry: tokens of Requests' callbacks", 32));
  return createHmac("sha256", key).update(requestId).digest("base64url");
}

/** True where `given` is the Request's token. */
export function isCallbackToken(masterKey: Uint8Array, requestId: string, given: string): boolean {
  const expected = Buffer.from(callbackToken(masterKey, requestId));
  const received = Buffer.from(given);
  return received.length === expected.length && timingSafeEqual(received, expected);
}
