import { buildDecrypt } from "@aws-crypto/decrypt-node";
import { buildEncrypt } from "@aws-crypto/encrypt-node";
import { AlgorithmSuiteIdentifier, CommitmentPolicy } from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";

const { encrypt } = buildEncrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
const { decrypt } = buildDecrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);

// No signature: who can seal can open, so it would prove nothing that the key does not.
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** Where a secret lives. A sealed secret that is moved to another place does not open. */
export interface SecretLocation {
  table: string;
  column: string;
  id: string;
  account: string;
}

/** Seals secrets for rest: a data key for each, AES-256-GCM, wrapped by the master key (AWS Encryption SDK). */
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

  async seal(secret: string, place: SecretLocation): Promise<Uint8Array<ArrayBuffer>> {
    const { result } = await encrypt(this.keyring, secret, { suiteId: SUITE, encryptionContext: { ...place } });
    return Uint8Array.from(result);
  }

  /** @throws an Error where the bytes were changed, sealed with another key or belong to another place */
  async open(sealed: Uint8Array, place: SecretLocation): Promise<string> {
    const { plaintext, messageHeader } = await decrypt(this.keyring, Buffer.from(sealed));
    for (const [name, value] of Object.entries(place)) {
      if (messageHeader.encryptionContext[name] !== value)
        throw new Error(`The secret does not belong to this ${name}.`);
    }
    return plaintext.toString("utf8");
  }
}
