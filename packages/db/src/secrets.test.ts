import { randomBytes } from "node:crypto";
import { Vault } from "./secrets.js";

const location = { table: "providers", column: "credentials", id: "7", account: "a" };

it("decrypts a secret at the location for which it was encrypted", async () => {
  const vault = new Vault([randomBytes(32)]);
  const encrypted = await vault.encrypt("hush", location);
  expect(Buffer.from(encrypted).includes("hush")).toBe(false);
  expect(await vault.decrypt(encrypted, location)).toBe("hush");
});

it("refuses a secret that was moved to another row", async () => {
  const vault = new Vault([randomBytes(32)]);
  const encrypted = await vault.encrypt("hush", location);
  await expect(vault.decrypt(encrypted, { ...location, id: "8" })).rejects.toThrow("does not belong to this id");
});

it("refuses a secret that was encrypted with another master key", async () => {
  const encrypted = await new Vault([randomBytes(32)]).encrypt("hush", location);
  await expect(new Vault([randomBytes(32)]).decrypt(encrypted, location)).rejects.toThrow();
});

describe("a vault with several master keys", () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];

  it("encrypts only with the first key, and decrypts what any of them encrypted", async () => {
    const both = new Vault([next, old]);
    const encrypted = await both.encrypt("hush", location);
    expect(await new Vault([next]).decrypt(encrypted, location)).toBe("hush");
    await expect(new Vault([old]).decrypt(encrypted, location)).rejects.toThrow();
    for (const keys of [[old], [old, next], [next]]) {
      expect(await both.decrypt(await new Vault(keys).encrypt("hush", location), location)).toBe("hush");
    }
  });

  it("reports which key encrypted a secret", async () => {
    const both = new Vault([next, old]);
    expect(await both.positionOfKey(await both.encrypt("hush", location))).toBe(0);
    expect(await both.positionOfKey(await new Vault([old]).encrypt("hush", location))).toBe(1);
    expect(await both.positionOfKey(await new Vault([randomBytes(32)]).encrypt("hush", location))).toBeUndefined();
  });
});
