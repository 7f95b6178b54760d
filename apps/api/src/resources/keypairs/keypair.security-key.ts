import { createPublicKey } from "node:crypto";

/** The key type that each security key wraps. */
const WRAPPED: Readonly<Record<string, string>> = {
  "sk-ssh-ed25519@openssh.com": "ssh-ed25519",
  "sk-ecdsa-sha2-nistp256@openssh.com": "ecdsa-sha2-nistp256",
};

/** The types of keys that a hardware security key holds (FIDO). */
export const SECURITY_KEY_TYPES = Object.keys(WRAPPED);

/** A key type, and the bytes of a key in OpenSSH's form. */
export interface KeyBytes {
  type: string;
  bytes: Buffer;
}

/** Returns the plain key that a security key wraps, or the key itself; undefined if it is malformed. */
export function plainKeyOf({ type, bytes }: KeyBytes): KeyBytes | undefined {
  const wrapped = Object.hasOwn(WRAPPED, type) ? WRAPPED[type] : undefined;
  if (!wrapped) return { type, bytes };
  // The application that the key belongs to follows the fields of the plain key.
  const [name, ...fields] = fieldsIn(bytes);
  const application = fields.pop();
  if (name?.toString("latin1") !== type || !application?.length) return undefined;
  return { type: wrapped, bytes: Buffer.concat([Buffer.from(wrapped), ...fields].map(asField)) };
}

/** Returns true for the bytes of an ECDSA key whose point is on its curve. */
export function isOnCurve(bytes: Buffer): boolean {
  const [, curve = "", point = Buffer.alloc(0)] = fieldsIn(bytes);
  const half = (point.length - 1) / 2;
  const coordinate = (at: number) => point.subarray(at, at + half).toString("base64url");
  const crv = curve.toString("latin1").replace("nistp", "P-");
  try {
    createPublicKey({ format: "jwk", key: { kty: "EC", crv, x: coordinate(1), y: coordinate(1 + half) } });
    return point[0] === 4;
  } catch {
    return false;
  }
}

/** The fields of a key, each with its length in four bytes in front; none if they do not fill the bytes. */
function fieldsIn(bytes: Buffer): Buffer[] {
  const fields: Buffer[] = [];
  let at = 0;
  while (at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at);
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return at === bytes.length ? fields : [];
}

function asField(bytes: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}
