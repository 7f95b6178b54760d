import { createHmac, type KeyObject, randomInt } from "node:crypto";
import { crc32 } from "node:zlib";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const FORM = /^gty_[0-9A-Za-z]{36}$/;

/** A new API token: `gty_`, 30 random characters and 6 of checksum. */
export function mintToken(): string {
  const body = Array.from({ length: 30 }, () => BASE62[randomInt(62)]).join("");
  return `gty_${body}${checksum(body)}`;
}

/** False for a text that is not a token of this service, so that no query is needed to refuse it. */
export function isWellFormed(token: string): boolean {
  return FORM.test(token) && token.slice(34) === checksum(token.slice(4, 34));
}

/** The digest that is stored instead of a token, keyed by the installation's key of tokens. */
export function tokenDigest(key: KeyObject): (token: string) => Buffer<ArrayBuffer> {
  return (token) => Buffer.from(createHmac("sha256", key).update(token).digest());
}

function checksum(body: string): string {
  let rest = crc32(body);
  let text = "";
  for (let i = 0; i < 6; i++) {
    text = BASE62[rest % 62] + text;
    rest = Math.floor(rest / 62);
  }
  return text;
}
