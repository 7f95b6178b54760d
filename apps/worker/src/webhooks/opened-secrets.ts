import type { Vault, Webhook } from "@gantry/db";

/** The time for which a secret stays opened. */
const KEPT_MS = 60_000;

/** Opens the secrets of webhooks, and keeps them for a minute: a key of KMS is not asked for each delivery. */
export class OpenedSecrets {
  private readonly kept = new Map<string, Promise<string>>();

  /** @param keptMs how long a secret stays opened */
  constructor(
    private readonly vault: Vault,
    private readonly keptMs = KEPT_MS,
  ) {}

  /** Opens a secret. The sealed bytes are part of what it is kept under, so that a new secret is used at once. */
  open(
    { id, accountId }: Pick<Webhook, "id" | "accountId">,
    column: "secret" | "previous_secret",
    sealed: Uint8Array,
  ): Promise<string> {
    const key = `${id} ${column} ${Buffer.from(sealed).toString("base64")}`;
    const kept = this.kept.get(key);
    if (kept) return kept;
    const opened = this.vault.open(sealed, { table: "webhooks", column, id, account: accountId });
    const forget = () => void this.kept.delete(key);
    this.kept.set(key, opened);
    setTimeout(forget, this.keptMs).unref();
    opened.catch(forget);
    return opened;
  }
}
