import { createHash } from "node:crypto";
import { buildDecrypt } from "@aws-crypto/decrypt-node";
import { buildEncrypt } from "@aws-crypto/encrypt-node";
import type { KmsNodeClientSupplier } from "@aws-crypto/kms-keyring-node";
import {
  AlgorithmSuiteIdentifier,
  CommitmentPolicy,
  type KeyringNode,
  MultiKeyringNode,
} from "@aws-crypto/material-management-node";
import { RawAesKeyringNode, RawAesWrappingSuiteIdentifier } from "@aws-crypto/raw-aes-keyring-node";

const { encrypt } = buildEncrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);
const { decrypt } = buildDecrypt(CommitmentPolicy.REQUIRE_ENCRYPT_REQUIRE_DECRYPT);

// No signature: it would prove no more than the key does, since every holder of the key can encrypt and decrypt.
const SUITE = AlgorithmSuiteIdentifier.ALG_AES256_GCM_IV12_TAG16_HKDF_SHA512_COMMIT_KEY;

/** The name under which a single key encrypts: versions that know only one key decrypt only what has this name. */
const SINGLE = "master";

/** The location of a secret. A secret decrypts only at the location for which it was encrypted. */
export interface SecretLocation {
  table: string;
  column: string;
  id: string;
  account: string;
}

/** A master key: 32 bytes, or the ARN of a symmetric key of AWS KMS. */
export type MasterKey = Uint8Array | string;

interface Keyrings {
  encrypting: KeyringNode;
  /** For each master key, what decrypts the secrets that it encrypted. */
  decrypting: KeyringNode[];
  anyKey: KeyringNode;
}

/**
 * Encrypts secrets for storage: a data key for each, AES-256-GCM, wrapped by a master key (AWS Encryption SDK). The first
 * master key encrypts, all of them decrypt. Encrypting or decrypting a secret with a key of KMS is a call to KMS, with the
 * credentials that the AWS SDK finds.
 */
export class Vault {
  private keyrings: Promise<Keyrings> | undefined;

  /** @param masterKeys one or more */
  constructor(private readonly masterKeys: readonly MasterKey[]) {
    if (masterKeys.length === 0) throw new Error("A vault requires a master key.");
  }

  async encrypt(secret: string, location: SecretLocation): Promise<Uint8Array<ArrayBuffer>> {
    const { encrypting } = await this.loadKeyrings();
    const { result } = await encrypt(encrypting, secret, { suiteId: SUITE, encryptionContext: { ...location } });
    return Uint8Array.from(result);
  }

  /** @throws an Error if the bytes were changed, or encrypted with another key or for another location */
  async decrypt(encrypted: Uint8Array, location: SecretLocation): Promise<string> {
    const { anyKey } = await this.loadKeyrings();
    const { plaintext, messageHeader } = await decrypt(anyKey, Buffer.from(encrypted));
    for (const [name, value] of Object.entries(location)) {
      if (messageHeader.encryptionContext[name] !== value)
        throw new Error(`The secret does not belong to this ${name}.`);
    }
    return plaintext.toString("utf8");
  }

  /** The position, from 0, of the master key that encrypted a secret; undefined if none of them decrypts it. */
  async positionOfKey(encrypted: Uint8Array): Promise<number | undefined> {
    const { decrypting } = await this.loadKeyrings();
    for (const [position, keyring] of decrypting.entries()) {
      const decrypted = await decrypt(keyring, Buffer.from(encrypted)).catch(() => undefined);
      if (decrypted) return position;
    }
    return undefined;
  }

  private loadKeyrings(): Promise<Keyrings> {
    this.keyrings ??= keyringsOf(this.masterKeys);
    return this.keyrings;
  }
}

async function keyringsOf(masterKeys: readonly MasterKey[]): Promise<Keyrings> {
  const decrypting = await Promise.all(
    masterKeys.map((key) =>
      typeof key === "string"
        ? kmsKeyring(key)
        : new MultiKeyringNode({ children: [rawKeyring(keyName(key), key), rawKeyring(SINGLE, key)] }),
    ),
  );
  const [first] = masterKeys as [MasterKey];
  const encrypting =
    typeof first === "string"
      ? (decrypting[0] as KeyringNode)
      : rawKeyring(masterKeys.length === 1 ? SINGLE : keyName(first), first);
  return { encrypting, decrypting, anyKey: new MultiKeyringNode({ children: decrypting }) };
}

/** Loaded only if it is needed: its clients of AWS are large. */
async function kmsKeyring(generatorKeyId: string): Promise<KeyringNode> {
  const { cacheClients, getKmsClient, KmsKeyringNode } = await import("@aws-crypto/kms-keyring-node");
  // By default all keyrings of a process share the clients, with the credentials that the first one found.
  // The types of the package do not fit its own default.
  const clientProvider = cacheClients(getKmsClient as unknown as KmsNodeClientSupplier);
  return new KmsKeyringNode({ generatorKeyId, clientProvider });
}

function rawKeyring(keyName: string, masterKey: Uint8Array): RawAesKeyringNode {
  return new RawAesKeyringNode({
    keyName,
    keyNamespace: "gantry",
    unencryptedMasterKey: Uint8Array.from(masterKey),
    wrappingSuite: RawAesWrappingSuiteIdentifier.AES256_GCM_IV12_TAG16_NO_PADDING,
  });
}

function keyName(masterKey: Uint8Array): string {
  const digest = createHash("sha256").update("gantry: name of a master key").update(masterKey).digest("hex");
  return `${SINGLE}-${digest.slice(0, 12)}`;
}
