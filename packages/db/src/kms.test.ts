import { randomBytes } from "node:crypto";
import { useEmulatedKms } from "@gantry/test/support/kms";
import { cloneDatabase } from "@gantry/test/support/stack";
import { deriveInstallationKeys, loadInstallationKeys } from "./installation-keys.js";
import { Vault } from "./secrets.js";

const kms = await useEmulatedKms();
const [key, other, raw] = [await kms.createKey(), await kms.createKey(), randomBytes(32)];
const location = { table: "providers", column: "credentials", id: "1", account: "a" };

describe("a vault with a key of AWS KMS", () => {
  it("decrypts what it encrypted, only at its location and only with that key", async () => {
    const vault = new Vault([key]);
    const encrypted = await vault.encrypt("hush", location);
    expect(Buffer.from(encrypted).includes("hush")).toBe(false);
    expect(await vault.decrypt(encrypted, location)).toBe("hush");
    await expect(vault.decrypt(encrypted, { ...location, id: "2" })).rejects.toThrow();
    await expect(new Vault([other]).decrypt(encrypted, location)).rejects.toThrow();
    await expect(new Vault([raw]).decrypt(encrypted, location)).rejects.toThrow();
  });

  it("asks KMS for each secret, and decrypts none while KMS refuses", async () => {
    const vault = new Vault([key]);
    const encrypted = await vault.encrypt("hush", location);
    await kms.refuseDecrypt();
    await expect(vault.decrypt(encrypted, location)).rejects.toThrow();
    await kms.clear();
    expect(await vault.decrypt(encrypted, location)).toBe("hush");
  });

  it("encrypts with the first of several keys, decrypts with all of them, and reports which one encrypted", async () => {
    const both = new Vault([key, raw]);
    expect(await both.positionOfKey(await both.encrypt("hush", location))).toBe(0);
    const older = await new Vault([raw]).encrypt("hush", location);
    expect([await both.decrypt(older, location), await both.positionOfKey(older)]).toEqual(["hush", 1]);
  });
});

it("creates random installation keys under a KMS key, and decrypts them after a change of keys", async () => {
  const database = await cloneDatabase();
  try {
    const load = async (...masterKeys: Parameters<typeof loadInstallationKeys>[1]) =>
      Object.values(await loadInstallationKeys(database.db, masterKeys)).map((made) => made.export().toString("hex"));
    const keys = await load(key);
    expect(new Set(keys).size).toBe(keys.length);
    expect(await load(raw, key)).toEqual(keys);
    await expect(loadInstallationKeys(database.db, [other])).rejects.toThrow("No key in MASTER_KEY decrypts");
  } finally {
    await database.drop();
  }
});

it("keeps the keys that derived from bytes when a key of KMS follows them", async () => {
  const database = await cloneDatabase();
  try {
    const keys = await loadInstallationKeys(database.db, [raw]);
    expect(keys).toEqual(deriveInstallationKeys(raw));
    expect(await loadInstallationKeys(database.db, [key, raw])).toEqual(keys);
  } finally {
    await database.drop();
  }
});
