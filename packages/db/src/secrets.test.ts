import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { Vault } from "./secrets.js";

const location = { table: "providers", column: "credentials", id: "7", account: "a" };

it("opens a secret at the location for which it was sealed", async () => {
  const vault = new Vault(randomBytes(32));
  const sealed = await vault.seal("hush", location);
  expect(Buffer.from(sealed).includes("hush")).toBe(false);
  expect(await vault.open(sealed, location)).toBe("hush");
});

it("refuses a secret that was moved to another row", async () => {
  const vault = new Vault(randomBytes(32));
  const sealed = await vault.seal("hush", location);
  await expect(vault.open(sealed, { ...location, id: "8" })).rejects.toThrow("does not belong to this id");
});

it("refuses a secret that was sealed with another master key", async () => {
  const sealed = await new Vault(randomBytes(32)).seal("hush", location);
  await expect(new Vault(randomBytes(32)).open(sealed, location)).rejects.toThrow();
});
