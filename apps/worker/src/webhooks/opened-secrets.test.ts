import { randomUUID } from "node:crypto";
import { Vault } from "@gantry/db";
import { useEmulatedKms } from "@gantry/test/support/kms";
import { until } from "@gantry/test/support/until";
import { expect, it } from "vitest";
import { OpenedSecrets } from "./opened-secrets.js";

const kms = await useEmulatedKms();
const vault = new Vault([await kms.createKey()]);
const webhook = { id: randomUUID(), accountId: randomUUID() };
const seal = (secret: string) =>
  vault.seal(secret, { table: "webhooks", column: "secret", id: webhook.id, account: webhook.accountId });

it("asks KMS once for a secret that many deliveries need, and for a new secret at once", async () => {
  const secrets = new OpenedSecrets(vault);
  const [sealed, rotated] = [await seal("first"), await seal("second")];
  const open = (bytes: Uint8Array) => secrets.open(webhook, "secret", bytes);
  expect(await open(sealed)).toBe("first");
  await kms.refuseDecrypt();
  expect(await open(Uint8Array.from(sealed))).toBe("first");
  await expect(open(rotated)).rejects.toThrow();
  await kms.clear();
  expect(await open(rotated)).toBe("second");
});

it("forgets a secret after its time", async () => {
  const secrets = new OpenedSecrets(vault, 1);
  const sealed = await seal("first");
  expect(await secrets.open(webhook, "secret", sealed)).toBe("first");
  await kms.refuseDecrypt();
  await until(async () => !(await secrets.open(webhook, "secret", sealed).catch(() => undefined)));
  await kms.clear();
});
