import { createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "./client.js";
import { isUnavailable } from "./database-errors.js";
import { type MasterKey, type SecretLocation, Vault } from "./secrets.js";

/** The keys of an installation, by what is made with them: the labels under which they derive from a first master key of bytes. */
const LABELS = {
  tokens: "gantry: digest of API tokens",
  callbacks: "gantry: tokens of Requests' callbacks",
  externalIds: "gantry: external ids",
  fingerprints: "gantry: fingerprints of inputs",
  csrf: "gantry: values against forged changes",
};

type Name = keyof typeof LABELS;

/**
 * Keys of 32 bytes that outlive every master key: values that others hold were made with them. Node computes a digest by a
 * key object in a fraction of the time that it takes by a key as bytes.
 */
export type InstallationKeys = Record<Name, KeyObject>;

/** The keys of an installation whose first master key is this one. */
export function deriveInstallationKeys(masterKey: Uint8Array): InstallationKeys {
  return keysBy((name) => Buffer.from(hkdfSync("sha256", masterKey, "", LABELS[name], 32)));
}

/** Nothing derives from a key of KMS, whose bytes only KMS has. */
function firstKeysWith(masterKey: MasterKey): InstallationKeys {
  return typeof masterKey === "string" ? keysBy(() => randomBytes(32)) : deriveInstallationKeys(masterKey);
}

/**
 * The keys of an installation. The first call for a database makes and stores them; of several at once, one does.
 *
 * @throws an Error if no master key decrypts them, or if several may have made the values that exist already
 */
export async function loadInstallationKeys(db: Db, masterKeys: readonly MasterKey[]): Promise<InstallationKeys> {
  const vault = new Vault(masterKeys);
  const stored = await read(db);
  if (isComplete(stored)) return decryptAll(vault, stored);
  // Values that a version without this table made depend on the one key that it had.
  const [first] = masterKeys as [MasterKey];
  const mayBeAnother = masterKeys.length > 1 || typeof first === "string";
  if (mayBeAnother && stored.size === 0 && (await db.token.count({ take: 1 })) > 0) {
    throw new Error("Start Gantry once with its current MASTER_KEY before you add another key.");
  }
  const data = Object.entries(firstKeysWith(first)).map(async ([name, key]) => ({
    name,
    sealed: await vault.encrypt(key.export().toString("base64"), locationOf(name)),
  }));
  await db.installationKey.createMany({ data: await Promise.all(data), skipDuplicates: true });
  return decryptAll(vault, await read(db));
}

/**
 * `loadInstallationKeys` for an app that starts: waits for a database that is away.
 *
 * @param outage gets each failure to reach it, and the end of them
 * @throws as `loadInstallationKeys` does
 */
export async function waitForInstallationKeys(
  db: Db,
  masterKeys: readonly MasterKey[],
  outage: { failed(error: unknown): void; worked(): void },
): Promise<InstallationKeys> {
  for (;;) {
    try {
      const keys = await loadInstallationKeys(db, masterKeys);
      outage.worked();
      return keys;
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      outage.failed(error);
      await sleep(1000);
    }
  }
}

async function read(db: Db): Promise<Map<string, Uint8Array>> {
  // Prisma's own way would load its query compiler, which takes a third of an app's start.
  const rows = await db.$queryRaw<{ name: string; sealed: Uint8Array }[]>`SELECT name, sealed FROM installation_keys`;
  return new Map(rows.map(({ name, sealed }) => [name, sealed]));
}

function isComplete(stored: ReadonlyMap<string, Uint8Array>): boolean {
  return Object.keys(LABELS).every((name) => stored.has(name));
}

async function decryptAll(vault: Vault, stored: ReadonlyMap<string, Uint8Array>): Promise<InstallationKeys> {
  const decrypted = new Map<string, Buffer>();
  for (const [name, sealed] of stored) {
    const text = await vault.decrypt(sealed, locationOf(name)).catch((cause: Error) => {
      const sentence = "No key in MASTER_KEY decrypts this database's keys. Add the key that encrypted them.";
      throw new Error(sentence, { cause });
    });
    decrypted.set(name, Buffer.from(text, "base64"));
  }
  return keysBy((name) => decrypted.get(name) as Buffer);
}

function locationOf(name: string): SecretLocation {
  return { table: "installation_keys", column: "sealed", id: name, account: "installation" };
}

function keysBy(bytesOf: (name: Name) => Buffer): InstallationKeys {
  const names = Object.keys(LABELS) as Name[];
  return Object.fromEntries(names.map((name) => [name, createSecretKey(bytesOf(name))])) as InstallationKeys;
}
