import { randomBytes } from "node:crypto";
import type { Tx, Vault, Webhook } from "@gantry/db";
import { AddressGuard } from "@gantry/runtime";
import type { Caller } from "../../http/auth/caller.js";
import { conflict, invalid } from "../../http/errors/errors.js";

const MAX_WEBHOOKS = 20;
const SECRET_BYTES = 32;

type WebhookKey = Pick<Webhook, "id" | "accountId">;

/** A new key of signatures, in the form of Standard Webhooks. */
export function newSecret(): string {
  return `whsec_${randomBytes(SECRET_BYTES).toString("base64")}`;
}

export function encryptSecret(
  vault: Vault,
  { id, accountId }: WebhookKey,
  column: "secret" | "previous_secret",
  secret: string,
): Promise<Uint8Array<ArrayBuffer>> {
  return vault.encrypt(secret, { table: "webhooks", column, id, account: accountId });
}

export function decryptWebhookSecret(vault: Vault, { id, accountId, secret }: Webhook): Promise<string> {
  return vault.decrypt(secret, { table: "webhooks", column: "secret", id, account: accountId });
}

/**
 * The worker refuses the private addresses of names as it connects; this refuses what the URL itself shows.
 *
 * @throws 422 if a webhook cannot go there
 */
export function requireAddress(text: string, privateBlocks: readonly string[]): void {
  const { protocol, username, password } = new URL(text);
  const schemes = privateBlocks.length > 0 ? ["https:", "http:"] : ["https:"];
  if (!schemes.includes(protocol)) throw invalid("webhook.url", "must start with https://");
  if (new AddressGuard(privateBlocks).refusesUrl(text))
    throw invalid("webhook.url", "must not be a private or reserved address");
  if (username || password)
    throw invalid(
      "webhook.url",
      "must not contain a user name or a password; verify the signature of deliveries instead",
    );
}

/** @throws 409 if the account has the greatest allowed number of webhooks */
export async function requireRoom(db: Tx, accountId: string): Promise<void> {
  const count = await db.webhook.count({ where: { accountId, deletedAt: null } });
  if (count >= MAX_WEBHOOKS)
    throw conflict(`the account already has ${MAX_WEBHOOKS} webhooks, the maximum; remove one first`);
}

/** @throws 409 if it was deleted or is disabled */
export async function findEnabled(caller: Caller, id: string): Promise<Webhook> {
  const webhook = await caller.findLive("webhook", id, "update");
  if (webhook.disabledAt) throw conflict(`webhook ${id} is disabled; enable it first`);
  return webhook;
}

/** Ends the alert that a disabled webhook raised. */
export async function finishAlerts(db: Tx, webhookId: string): Promise<void> {
  await db.alert.updateMany({ where: { webhookId, finishedAt: null }, data: { finishedAt: new Date() } });
}

/** Makes whatever waits for a webhook due, as if it had never been tried. The time is the database's, as in the worker. */
export async function makeDue(db: Tx, webhookId: string): Promise<void> {
  await db.$executeRaw`
    UPDATE webhook_deliveries SET next_attempt_at = now(), attempts = 0, updated_at = now()
    WHERE webhook_id = ${webhookId}::uuid AND state = 'pending'`;
}

/** Ends the deliveries that wait for a webhook, which was removed. */
export async function endDeliveries(db: Tx, webhookId: string): Promise<void> {
  await db.webhookDelivery.updateMany({
    where: { webhookId, state: "pending" },
    data: { state: "failed", nextAttemptAt: null, error: "the webhook was removed" },
  });
}
