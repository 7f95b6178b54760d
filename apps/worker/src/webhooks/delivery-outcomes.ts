import { type Db, Prisma, type Webhook, type WebhookDelivery } from "@gantry/db";
import { maskUrl } from "@gantry/resources";
import { webhookDuration } from "@gantry/telemetry";
import { v7 as uuidv7 } from "uuid";
import type { SentWebhook } from "./webhook-sender.js";

/** The delays between the tries of a delivery, in seconds; the last try is the tenth. */
export const RETRY_SECONDS = [5, 30, 120, 600, 1800, 3600, 10_800, 28_800, 86_400];

/** After so many failures in a row a webhook's other deliveries wait as well. */
const FAILURES_TO_PAUSE = 3;
/** The longest time after which a webhook that works again gets what is due. */
const MAX_PAUSE_SECONDS = 900;

/** What follows an attempt: the next delivery, another check of what is due, or the end of the run. */
export type Next = "next" | "check again" | "end";

/** Records what became of deliveries: they end, or are tried again, and their webhook pauses or is disabled. */
export class DeliveryOutcomes {
  constructor(private readonly db: Db) {}

  /** Records what the receiver answered. */
  async record(webhook: Webhook, delivery: WebhookDelivery, sent: SentWebhook): Promise<Next> {
    const isDelivered = sent.status !== undefined && sent.status >= 200 && sent.status <= 299;
    webhookDuration.observe({ outcome: isDelivered ? "delivered" : "failed" }, sent.durationMs / 1000);
    if (!isDelivered) return this.fail(webhook, delivery, sent);
    await this.end(delivery, sent, "delivered");
    if (webhook.failures > 0 || webhook.resumesAt)
      await this.db.$executeRaw`
        UPDATE webhooks SET failures = 0, resumes_at = NULL WHERE id = ${webhook.id}::uuid`;
    return "next";
  }

  private async fail(webhook: Webhook, delivery: WebhookDelivery, sent: SentWebhook): Promise<Next> {
    // A ping shows its sender the current state of the webhook.
    if (delivery.position === null) {
      await this.end(delivery, sent, "failed");
      return "next";
    }
    const failures = webhook.failures + 1;
    const isLast = delivery.attempts >= RETRY_SECONDS.length || sent.status === 410;
    const isUnchanged = isLast
      ? await this.disable(webhook, sent, delivery.attempts + 1)
      : await this.pause(webhook, failures);
    if (isLast && isUnchanged) {
      await this.end(delivery, sent, "failed");
      return "end";
    }
    const change = isUnchanged
      ? Prisma.sql`attempts = ${delivery.attempts + 1}, asked_at = NULL,
          next_attempt_at = ${inSeconds(RETRY_SECONDS[delivery.attempts] ?? 0)}`
      : Prisma.sql`next_attempt_at = now()`;
    // What its account did with the delivery meanwhile takes precedence.
    await this.update(delivery, sent, change, Prisma.sql`AND updated_at = ${delivery.updatedAt}`);
    if (!isUnchanged) return "end";
    return failures >= FAILURES_TO_PAUSE ? "check again" : "next";
  }

  /** Returns false for a webhook that its account changed during the attempt: it is tried again at once. */
  private async pause({ id, updatedAt }: Webhook, failures: number): Promise<boolean> {
    const pause = Math.min(RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length) - 1] ?? 0, MAX_PAUSE_SECONDS);
    const resumesAt = failures >= FAILURES_TO_PAUSE ? inSeconds(pause) : Prisma.sql`NULL::timestamptz`;
    // A delivery that was sent during a pause does not extend the pause.
    const changed = await this.db.$executeRaw`
      UPDATE webhooks SET failures = ${failures},
        resumes_at = CASE WHEN resumes_at > now() THEN resumes_at ELSE ${resumesAt} END
      WHERE id = ${id}::uuid AND updated_at = ${updatedAt}`;
    return changed === 1;
  }

  /** Ends a delivery. */
  async end(delivery: WebhookDelivery, sent: SentWebhook, state: "delivered" | "failed"): Promise<void> {
    const attempts = delivery.attempts + 1;
    const change = Prisma.sql`attempts = ${attempts}, asked_at = NULL, state = ${state}::"DeliveryState", next_attempt_at = NULL`;
    await this.update(delivery, sent, change);
  }

  private async update(
    { id }: WebhookDelivery,
    sent: SentWebhook,
    change: Prisma.Sql,
    condition = Prisma.empty,
  ): Promise<void> {
    const { status = null, answer = null, error = null, durationMs } = sent;
    await this.db.$executeRaw`
      UPDATE webhook_deliveries SET attempted_at = now(), updated_at = now(), status = ${status}, answer = ${answer},
        error = ${error}, duration_ms = ${durationMs}, ${change}
      WHERE id = ${id}::uuid ${condition}`;
  }

  /** Disables a webhook until its account enables it; events wait meanwhile. Returns false if `pause` does. */
  private async disable(
    { id, accountId, url, updatedAt }: Webhook,
    sent: SentWebhook,
    attempts: number,
  ): Promise<boolean> {
    const last = sent.error ?? `the last response had the status ${sent.status}`;
    const reason = sent.status === 410 ? "the receiver answered 410 Gone" : `${attempts} attempts failed: ${last}`;
    const now = new Date();
    return this.db.$transaction(async (tx) => {
      const { count } = await tx.webhook.updateMany({
        where: { id, disabledAt: null, updatedAt },
        data: { disabledAt: now, disabledReason: reason, resumesAt: null },
      });
      if (count === 0) return false;
      await tx.alert.create({
        data: {
          id: uuidv7(),
          accountId,
          webhookId: id,
          externalId: `webhooks/${id}`,
          name: "Webhook disabled",
          message: `Gantry no longer delivers to ${maskUrl(url)}: ${reason}.`,
          severity: "warning",
          startedAt: now,
        },
      });
      return true;
    });
  }
}

function inSeconds(seconds: number): Prisma.Sql {
  return Prisma.sql`now() + make_interval(secs => ${seconds}::float8)`;
}
