import sshpk from "sshpk";
import { invalid } from "../../http/errors.js";

const KINDS = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"];
// What OpenSSH's server takes at least.
const LEAST_RSA_BITS = 1024;

/**
 * Reads an SSH public key as a line of an `authorized_keys` file without options.
 *
 * @returns the line, and the MD5 of the key as colon-separated hexadecimal
 * @throws 422 that says what is wrong with it
 */
export function readPublicKey(given: string, path: string): { publicKey: string; fingerprint: string } {
  const publicKey = given.trim();
  if (/PRIVATE KEY/.test(publicKey))
    throw invalid(path, "is a private key; keep it to yourself and send its public half");
  if (/\p{Cc}/u.test(publicKey)) throw invalid(path, "must be one line");
  const [kind = ""] = publicKey.split(" ");
  if (!KINDS.includes(kind)) {
    throw invalid(path, `must begin with the kind of the key, without options: one of ${KINDS.join(", ")}`);
  }
  const key = parsed(publicKey);
  if (!key) throw invalid(path, "is not an OpenSSH public key");
  if (key.type === "rsa" && key.size < LEAST_RSA_BITS)
    throw invalid(path, `is an RSA key under ${LEAST_RSA_BITS} bits`);
  return { publicKey, fingerprint: key.fingerprint("md5").toString("hex") };
}

// The library overlooks bytes that are too many and a kind that is not the key's: what it reads must be what was given.
function parsed(publicKey: string): sshpk.Key | undefined {
  try {
    const key = sshpk.parseKey(publicKey, "ssh");
    return start(key.toString("ssh")) === start(publicKey) ? key : undefined;
  } catch {
    return undefined;
  }
}

function start(publicKey: string): string {
  return publicKey.split(" ", 2).join(" ");
}
