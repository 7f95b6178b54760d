import type { Vault, Webhook } from "@gantry/db";

/** The time for which a secret stays decrypted. */
const KEPT_MS = 60_000;

/** Decrypts the secrets of webhooks, and keeps them for a minute: a key of KMS is not asked for each delivery. */
export class DecryptedSecrets {
  private readonly kept = new Map<string, Promise<string>>();

  /** @param keptMs how long a secret stays decrypted */
  constructor(
    private readonly vault: Vault,
    private readonly keptMs = KEPT_MS,
  ) {}

  /** Decrypts a secret. The encrypted bytes are part of what it is kept under, so that a new secret is used at once. */
  decrypt(
    { id, accountId }: Pick<Webhook, "id" | "accountId">,
    column: "secret" | "previous_secret",
    encrypted: Uint8Array,
  ): Promise<string> {
    const key = `${id} ${column} ${Buffer.from(encrypted).toString("base64")}`;
    const kept = this.kept.get(key);
    if (kept) return kept;
    const decrypted = this.vault.decrypt(encrypted, { table: "webhooks", column, id, account: accountId });
    const forget = () => void this.kept.delete(key);
    this.kept.set(key, decrypted);
    setTimeout(forget, this.keptMs).unref();
    decrypted.catch(forget);
    return decrypted;
  }
}
