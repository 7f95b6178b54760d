import { createHash } from "node:crypto";
import sshpk from "sshpk";
import { invalid } from "../../http/errors/errors.js";
import { isOnCurve, type KeyBytes, plainKeyOf, SECURITY_KEY_TYPES } from "./keypair.security-key.js";

const PLAIN_TYPES = ["ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521"];
const KEY_TYPES = [...PLAIN_TYPES, ...SECURITY_KEY_TYPES];
// The minimum of OpenSSH's server.
const MIN_RSA_BITS = 1024;

/** The parts of a key, as `ssh-keygen` reads them: blanks and tabs separate them, and the rest is the comment. */
const PARTS = /^(?<type>[^ \t]+)[ \t]+(?<blob>[^ \t]+)(?:[ \t]+(?<comment>.*))?$/u;

/**
 * Parses an SSH public key, written as a line of an `authorized_keys` file without options. Gantry writes these files
 * itself and gives AWS only the keys of environments, so that AWS need not know the type.
 *
 * @returns the line, with one blank between its parts, and the MD5 of the key as colon-separated hexadecimal
 * @throws 422 if the input is not such a line, or the key is too short
 */
export function readPublicKey(input: string, path: string): { publicKey: string; fingerprint: string } {
  const line = input.trim();
  if (/PRIVATE KEY/.test(line)) throw invalid(path, "is a private key; send the public key");
  if (/[^\P{Cc}\t]/u.test(line)) throw invalid(path, "must be one line");
  const [type = ""] = line.split(/[ \t]/, 1);
  if (!KEY_TYPES.includes(type)) {
    throw invalid(path, `must start with the key type, without options; use one of ${KEY_TYPES.join(", ")}`);
  }
  const { blob = "", comment = "" } = PARTS.exec(line)?.groups ?? {};
  const bytes = Buffer.from(blob, "base64");
  const plain = bytes.toString("base64") === blob ? plainKeyOf({ type, bytes }) : undefined;
  const key = plain && parseKey(plain);
  if (!key) throw invalid(path, "is not an OpenSSH public key");
  if (key.type === "rsa" && key.size < MIN_RSA_BITS)
    throw invalid(path, `is an RSA key of fewer than ${MIN_RSA_BITS} bits`);
  const md5 = createHash("md5").update(bytes).digest("hex");
  return {
    publicKey: [type, blob, ...(comment ? [comment] : [])].join(" "),
    fingerprint: md5.replace(/..(?!$)/g, "$&:"),
  };
}

// The library accepts trailing bytes and a type that is not the key's: so its output must equal the input.
function parseKey({ type, bytes }: KeyBytes): sshpk.Key | undefined {
  const text = `${type} ${bytes.toString("base64")}`;
  try {
    const key = sshpk.parseKey(text, "ssh");
    const isSame = key.toString("ssh").split(" ", 2).join(" ") === text;
    return isSame && (key.type !== "ecdsa" || isOnCurve(bytes)) ? key : undefined;
  } catch {
    return undefined;
  }
}
