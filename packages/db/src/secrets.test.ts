import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { Vault } from "./secrets.js";

const location = { table: "providers", column: "credentials", id: "7", account: "a" };

it("decrypts a secret at the location for which it was encrypted", async () => {
  const vault = new Vault([randomBytes(32)]);
  const sealed = await vault.seal("hush", location);
  expect(Buffer.from(sealed).includes("hush")).toBe(false);
  expect(await vault.open(sealed, location)).toBe("hush");
});

it("refuses a secret that was moved to another row", async () => {
  const vault = new Vault([randomBytes(32)]);
  const sealed = await vault.seal("hush", location);
  await expect(vault.open(sealed, { ...location, id: "8" })).rejects.toThrow("does not belong to this id");
});

it("refuses a secret that was encrypted with another master key", async () => {
  const sealed = await new Vault([randomBytes(32)]).seal("hush", location);
  await expect(new Vault([randomBytes(32)]).open(sealed, location)).rejects.toThrow();
});

describe("a vault with several master keys", () => {
  const [old, next] = [randomBytes(32), randomBytes(32)];

  it("encrypts only with the first key, and decrypts what any of them encrypted", async () => {
    const both = new Vault([next, old]);
    const sealed = await both.seal("hush", location);
    expect(await new Vault([next]).open(sealed, location)).toBe("hush");
    await expect(new Vault([old]).open(sealed, location)).rejects.toThrow();
    for (const keys of [[old], [old, next], [next]]) {
      expect(await both.open(await new Vault(keys).seal("hush", location), location)).toBe("hush");
    }
  });

  it("reports which key encrypted a secret", async () => {
    const both = new Vault([next, old]);
    expect(await both.positionOfKey(await both.seal("hush", location))).toBe(0);
    expect(await both.positionOfKey(await new Vault([old]).seal("hush", location))).toBe(1);
    expect(await both.positionOfKey(await new Vault([randomBytes(32)]).seal("hush", location))).toBeUndefined();
  });
});
