import type { Event, Vault, Webhook, WebhookDelivery } from "@gantry/db";
import { linkUnder, renderEvent, webhook as webhookRecord } from "@gantry/resources";
import type { Log } from "@gantry/runtime";
import { Webhook as Signer } from "standardwebhooks";
import { DecryptedSecrets } from "./decrypted-secrets.js";

/** Writes what a webhook's receiver gets. */
export class DeliveryMessages {
  private readonly secrets: DecryptedSecrets;

  constructor(
    vault: Vault,
    private readonly log: Log,
  ) {
    this.secrets = new DecryptedSecrets(vault);
  }

  /** Returns the body: the event as its own URL shows it, or the webhook itself for a ping. */
  bodyOf(webhook: Webhook, { type }: WebhookDelivery, event: Event | undefined, now: Date): string {
    const link = linkUnder(webhook.baseUrl);
    const timestamp = (event?.createdAt ?? now).toISOString();
    const data = event
      ? renderEvent(event, link, this.log)
      : { ...webhookRecord.serialize(webhook, link), url: webhook.url };
    return JSON.stringify({ type, timestamp, data });
  }

  /** Returns the headers, with a signature by each secret that is valid now. */
  async headersOf(webhook: Webhook, { id }: WebhookDelivery, body: string, now: Date): Promise<Record<string, string>> {
    const { secret, previousSecret, previousSecretUntil } = webhook;
    const isBoth = previousSecret && previousSecretUntil && previousSecretUntil > now;
    const secrets = await Promise.all([
      this.secrets.decrypt(webhook, "secret", secret),
      ...(isBoth ? [this.secrets.decrypt(webhook, "previous_secret", previousSecret)] : []),
    ]);
    return {
      "Content-Type": "application/json",
      "User-Agent": "Gantry",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": secrets.map((each) => new Signer(each).sign(id, now, body)).join(" "),
    };
  }
}
