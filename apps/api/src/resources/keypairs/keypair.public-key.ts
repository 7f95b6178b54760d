import sshpk from "sshpk";
import { invalid } from "../../http/errors/errors.js";

const KEY_TYPES = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"];
// The minimum of OpenSSH's server.
const MIN_RSA_BITS = 1024;

/**
 * Parses an SSH public key, written as a line of an `authorized_keys` file without options.
 *
 * @returns the line, and the MD5 of the key as colon-separated hexadecimal
 * @throws 422 if the input is not such a line, or the key is too short
 */
export function readPublicKey(input: string, path: string): { publicKey: string; fingerprint: string } {
  const publicKey = input.trim();
  if (/PRIVATE KEY/.test(publicKey)) throw invalid(path, "is a private key; send the public key");
  if (/\p{Cc}/u.test(publicKey)) throw invalid(path, "must be one line");
  const [type = ""] = publicKey.split(" ");
  if (!KEY_TYPES.includes(type)) {
    throw invalid(path, `must start with the key type, without options; use one of ${KEY_TYPES.join(", ")}`);
  }
  const key = parseKey(publicKey);
  if (!key) throw invalid(path, "is not an OpenSSH public key");
  if (key.type === "rsa" && key.size < MIN_RSA_BITS)
    throw invalid(path, `is an RSA key of fewer than ${MIN_RSA_BITS} bits`);
  return { publicKey, fingerprint: key.fingerprint("md5").toString("hex") };
}

// The library accepts trailing bytes and a type that is not the key's: so its output must equal the input.
function parseKey(publicKey: string): sshpk.Key | undefined {
  try {
    const key = sshpk.parseKey(publicKey, "ssh");
    return typeAndKey(key.toString("ssh")) === typeAndKey(publicKey) ? key : undefined;
  } catch {
    return undefined;
  }
}

function typeAndKey(publicKey: string): string {
  return publicKey.split(" ", 2).join(" ");
}
