import { randomBytes } from "node:crypto";
import { expect, it } from "@jest/globals";
import { Vault } from "./secrets.js";

const place = { table: "providers", column: "credentials", id: "7", account: "a" };

it("opens what it sealed, in the same place", async () => {
  const vault = new Vault(randomBytes(32));
  const sealed = await vault.seal("hush", place);
  expect(Buffer.from(sealed).includes("hush")).toBe(false);
  expect(await vault.open(sealed, place)).toBe("hush");
});

it("refuses a secret that was moved to another row", async () => {
  const vault = new Vault(randomBytes(32));
  const sealed = await vault.seal("hush", place);
  await expect(vault.open(sealed, { ...place, id: "8" })).rejects.toThrow("does not belong to this id");
});

it("refuses a secret that was sealed with another master key", async () => {
  const sealed = await new Vault(randomBytes(32)).seal("hush", place);
  await expect(new Vault(randomBytes(32)).open(sealed, place)).rejects.toThrow();
});
