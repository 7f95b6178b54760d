import { randomUUID } from "node:crypto";
import { Vault } from "@gantry/db";
import { useEmulatedKms } from "@gantry/test/support/kms";
import { until } from "@gantry/test/support/until";
import { DecryptedSecrets } from "./decrypted-secrets.js";

const kms = await useEmulatedKms();
const vault = new Vault([await kms.createKey()]);
const webhook = { id: randomUUID(), accountId: randomUUID() };
const encrypt = (secret: string) =>
  vault.encrypt(secret, { table: "webhooks", column: "secret", id: webhook.id, account: webhook.accountId });

it("asks KMS once for a secret that many deliveries need, and for a new secret at once", async () => {
  const secrets = new DecryptedSecrets(vault);
  const [encrypted, rotated] = [await encrypt("first"), await encrypt("second")];
  const decrypt = (bytes: Uint8Array) => secrets.decrypt(webhook, "secret", bytes);
  expect(await decrypt(encrypted)).toBe("first");
  await kms.refuseDecrypt();
  expect(await decrypt(Uint8Array.from(encrypted))).toBe("first");
  await expect(decrypt(rotated)).rejects.toThrow();
  await kms.clear();
  expect(await decrypt(rotated)).toBe("second");
});

it("forgets a secret after its time", async () => {
  const secrets = new DecryptedSecrets(vault, 1);
  const encrypted = await encrypt("first");
  expect(await secrets.decrypt(webhook, "secret", encrypted)).toBe("first");
  await kms.refuseDecrypt();
  await until(async () => !(await secrets.decrypt(webhook, "secret", encrypted).catch(() => undefined)));
  await kms.clear();
});
