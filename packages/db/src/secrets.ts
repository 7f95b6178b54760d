import { buildDecrypt } from "@aws-crypto/decrypt-node";
import { buildEncrypt } from "@aws-crypto/encrypt-node";
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";

const { encrypt } = buildEncrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
const { decrypt } = buildDecrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);

// No signature: it would prove no more than the key does, since every holder of the key can seal and open.
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** The location of a secret. A sealed secret opens only at the location for which it was sealed. */
export interface SecretLocation {
  table: string;
  column: string;
  id: string;
  account: string;
}

/** Seals secrets for storage: a data key for each, AES-256-GCM, wrapped by the master key (AWS Encryption SDK). */
export class Vault {
  private readonly keyring: RawAesKeyringNode;

  /** @param masterKey 32 bytes */
  constructor(masterKey: Uint8Array) {
    this.keyring = new RawAesKeyringNode({
      keyName: "master",
      keyNamespace: "gantry",
      unencryptedMasterKey: Uint8Array.from(masterKey),
      wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
    });
  }

  async seal(secret: string, location: SecretLocation): Promise<Uint8Array<ArrayBuffer>> {
    const { result } = await encrypt(this.keyring, secret, { suiteId: SUITE, encryptionContext: { ...location } });
    return Uint8Array.from(result);
  }

  /** @throws an Error where the bytes were changed, or sealed with another key or for another location */
  async open(sealed: Uint8Array, location: SecretLocation): Promise<string> {
    const { plaintext, messageHeader } = await decrypt(this.keyring, Buffer.from(sealed));
    for (const [name, value] of Object.entries(location)) {
      if (messageHeader.encryptionContext[name] !== value)
        throw new Error(`The secret does not belong to this ${name}.`);
    }
    return plaintext.toString("utf8");
  }
}
