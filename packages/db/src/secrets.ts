import { createHash } from "node:crypto";
import { buildDecrypt } from "@aws-crypto/decrypt-node";
import { buildEncrypt } from "@aws-crypto/encrypt-node";
import { AlgorithmSuiteIdentifier, CommitmentPolicy, MultiKeyringNode } from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";

const { encrypt } = buildEncrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
const { decrypt } = buildDecrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);

// No signature: it would prove no more than the key does, since every holder of the key can seal and open.
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** The name under which a lone key seals: versions that know one key only open what bears it. */
const LONE = "master";

/** The location of a secret. A sealed secret opens only at the location for which it was sealed. */
export interface SecretLocation {
  table: string;
  column: string;
  id: string;
  account: string;
}

/**
 * Seals secrets for storage: a data key for each, AES-256-GCM, wrapped by a master key (AWS Encryption SDK). The first
 * master key seals, all of them open.
 */
export class Vault {
  private readonly sealing: RawAesKeyringNode;
  /** For each master key, what opens the secrets that it sealed. */
  private readonly opening: MultiKeyringNode[];
  private readonly anyKey: MultiKeyringNode;

  /** @param masterKeys one or more, of 32 bytes */
  constructor(masterKeys: readonly Uint8Array[]) {
    const [first] = masterKeys;
    if (!first) throw new Error("A vault needs a master key.");
    this.sealing = keyring(masterKeys.length === 1 ? LONE : keyName(first), first);
    this.opening = masterKeys.map(
      (key) => new MultiKeyringNode({ children: [keyring(keyName(key), key), keyring(LONE, key)] }),
    );
    this.anyKey = new MultiKeyringNode({ children: this.opening });
  }

  async seal(secret: string, location: SecretLocation): Promise<Uint8Array<ArrayBuffer>> {
    const { result } = await encrypt(this.sealing, secret, { suiteId: SUITE, encryptionContext: { ...location } });
    return Uint8Array.from(result);
  }

  /** @throws an Error where the bytes were changed, or sealed with another key or for another location */
  async open(sealed: Uint8Array, location: SecretLocation): Promise<string> {
    const { plaintext, messageHeader } = await decrypt(this.anyKey, Buffer.from(sealed));
    for (const [name, value] of Object.entries(location)) {
      if (messageHeader.encryptionContext[name] !== value)
        throw new Error(`The secret does not belong to this ${name}.`);
    }
    return plaintext.toString("utf8");
  }

  /** The position, from 0, of the master key that sealed a secret; undefined where none of them opens it. */
  async positionOfKey(sealed: Uint8Array): Promise<number | undefined> {
    for (const [position, opening] of this.opening.entries()) {
      const opened = await decrypt(opening, Buffer.from(sealed)).catch(() => undefined);
      if (opened) return position;
    }
    return undefined;
  }
}

function keyring(keyName: string, masterKey: Uint8Array): RawAesKeyringNode {
  return new RawAesKeyringNode({
    keyName,
    keyNamespace: "gantry",
    unencryptedMasterKey: Uint8Array.from(masterKey),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
}

function keyName(masterKey: Uint8Array): string {
  const digest = createHash("sha256").update("gantry: name of a master key").update(masterKey).digest("hex");
  return `${LONE}-${digest.slice(0, 12)}`;
}
