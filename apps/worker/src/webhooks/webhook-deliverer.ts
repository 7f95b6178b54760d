import type { Db, Vault, Webhook, WebhookDelivery } from "@gantry/db";
import { linkUnder, readEvents, renderEvent, webhook as webhookRecord } from "@gantry/records";
import type { Log } from "@gantry/runtime";
import pLimit from "p-limit";
import { Webhook as Signer } from "standardwebhooks";
import { v7 as uuidv7 } from "uuid";
import type { SentWebhook, WebhookSender } from "./webhook-sender.js";

/** The delays between the tries of a delivery, in seconds; the last try is the tenth. */
export const RETRY_SECONDS = [5, 30, 120, 600, 1800, 3600, 10_800, 28_800, 86_400];

/** After so many failures in a row a webhook's other deliveries wait as well. */
const FAILURES_TO_PAUSE = 3;

/** The longest time of one turn; the next webhook follows. */
const TURN_MS = 5000;
/** Longer than a turn and its last call: two workers never deliver to one webhook at once. */
const LEASE_SECONDS = 15;
const EVENTS_AT_ONCE = 200;
const DELIVERIES_AT_ONCE = 20;
/** Webhooks whose events are read at once; the other connections are for the Requests. */
const MAX_READ_AT_ONCE = 4;

export type DueWebhook = Pick<Webhook, "id" | "accountId">;

export interface WebhookDelivererOptions {
  db: Db;
  vault: Vault;
  sender: WebhookSender;
  log: Log;
  isStopping?: () => boolean;
}

/** Makes deliveries of new events, and sends the ones that are due. */
export class WebhookDeliverer {
  private readonly db: Db;
  private readonly vault: Vault;
  private readonly sender: WebhookSender;
  private readonly log: Log;
  private readonly isStopping: () => boolean;
  private readonly inTurn = pLimit(MAX_READ_AT_ONCE);

  constructor({ db, vault, sender, log, isStopping = () => false }: WebhookDelivererOptions) {
    this.db = db;
    this.vault = vault;
    this.sender = sender;
    this.log = log;
    this.isStopping = isStopping;
  }

  /** The webhooks for which there is something to do now, in random order. */
  async due(): Promise<DueWebhook[]> {
    return this.db.$queryRaw`
      SELECT w.id, w.account_id AS "accountId" FROM webhooks w, (SELECT event_horizon() AS horizon) clock
      WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL
        AND (w.resumes_at IS NULL OR w.resumes_at <= now()) AND (w.lease_until IS NULL OR w.lease_until < now())
        AND (EXISTS (SELECT FROM events e WHERE e.account_id = w.account_id
              AND (e.position, e.seq) > (w.position, w.seq) AND e.position < clock.horizon)
          OR EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.next_attempt_at <= now()))
      ORDER BY random()`;
  }

  /** Delivers to one webhook, the oldest event first, until nothing is due or its turn is over. */
  async deliver(id: string): Promise<void> {
    const leaseUntil = new Date(Date.now() + LEASE_SECONDS * 1000);
    const end = Date.now() + TURN_MS;
    if (!(await this.claim(id, leaseUntil))) return;
    try {
      let goesOn = true;
      while (goesOn && Date.now() < end && !this.isStopping()) goesOn = await this.deliverSome(id, end);
    } finally {
      await this.db.$executeRaw`
        UPDATE webhooks SET lease_until = NULL WHERE id = ${id}::uuid AND lease_until = ${leaseUntil}`;
    }
  }

  private async claim(id: string, leaseUntil: Date): Promise<boolean> {
    const claimed = await this.db.$executeRaw`
      UPDATE webhooks SET lease_until = ${leaseUntil}
      WHERE id = ${id}::uuid AND disabled_at IS NULL AND deleted_at IS NULL
        AND (resumes_at IS NULL OR resumes_at <= now()) AND (lease_until IS NULL OR lease_until < now())`;
    return claimed === 1;
  }

  /** @returns whether there may be more to deliver now */
  private async deliverSome(id: string, end: number): Promise<boolean> {
    const webhook = await this.db.webhook.findUnique({ where: { id, disabledAt: null, deletedAt: null } });
    if (!webhook) return false;
    await this.addDeliveries(webhook);
    const due = await this.db.webhookDelivery.findMany({
      where: { webhookId: id, nextAttemptAt: { lte: new Date() } },
      orderBy: [{ position: { sort: "asc", nulls: "first" } }, { seq: "asc" }],
      take: DELIVERIES_AT_ONCE,
    });
    let { failures } = webhook;
    for (const delivery of due) {
      if (Date.now() >= end || this.isStopping()) return false;
      failures = await this.attempt({ ...webhook, failures }, delivery);
      if (failures >= FAILURES_TO_PAUSE) return false;
    }
    return due.length > 0;
  }

  /** Makes deliveries of the next events, and moves the webhook's place behind them in the same statement. */
  private async addDeliveries({ id, accountId, events: types, position, seq }: Webhook): Promise<void> {
    const selection = { accountIds: [accountId], ...(types.length > 0 && { types: types as never }) };
    const { events, cursor } = await this.inTurn(() =>
      readEvents(this.db, selection, { position, seq }, EVENTS_AT_ONCE),
    );
    if (cursor.position === position && cursor.seq === seq) return;
    const columns = {
      ids: events.map(() => uuidv7()),
      positions: events.map((row) => row.position),
      seqs: events.map((row) => row.seq),
      types: events.map((row) => row.type),
    };
    await this.db.$executeRaw`
      WITH moved AS (
        UPDATE webhooks SET position = ${cursor.position}, seq = ${cursor.seq}
        WHERE id = ${id}::uuid AND position = ${position} AND seq = ${seq} RETURNING id, account_id)
      INSERT INTO webhook_deliveries (id, account_id, webhook_id, position, seq, type)
      SELECT new.id, moved.account_id, moved.id, new.position, new.seq, new.type
      FROM moved, unnest(${columns.ids}::uuid[], ${columns.positions}::bigint[], ${columns.seqs}::bigint[],
        ${columns.types}::text[]) AS new (id, position, seq, type)
      ON CONFLICT DO NOTHING`;
  }

  /** @returns the failures of the webhook since the last success */
  private async attempt(webhook: Webhook, delivery: WebhookDelivery): Promise<number> {
    const body = await this.bodyOf(webhook, delivery);
    if (body === undefined) {
      await this.end(delivery, { error: "the event is no longer kept", durationMs: 0 }, "failed");
      return webhook.failures;
    }
    const sent = await this.sender.post(webhook.url, await this.headersOf(webhook, delivery, body), body);
    if (sent.status !== undefined && sent.status >= 200 && sent.status < 300) {
      await this.end(delivery, sent, "delivered");
      if (webhook.failures > 0)
        await this.db.$executeRaw`
        UPDATE webhooks SET failures = 0, resumes_at = NULL WHERE id = ${webhook.id}::uuid`;
      return 0;
    }
    return this.fail(webhook, delivery, sent);
  }

  private async fail(webhook: Webhook, delivery: WebhookDelivery, sent: SentWebhook): Promise<number> {
    // A ping tells its sender how the webhook is now.
    if (delivery.position === null) {
      await this.end(delivery, sent, "failed");
      return webhook.failures;
    }
    const failures = webhook.failures + 1;
    const isLast = delivery.attempts >= RETRY_SECONDS.length || sent.status === 410;
    const isUnchanged = isLast
      ? await this.disable(webhook, sent, delivery.attempts + 1)
      : await this.pause(webhook, failures);
    if (isLast && isUnchanged) {
      await this.end(delivery, sent, "failed");
      return failures;
    }
    const { attempts, ...outcome } = attemptOf(delivery, sent);
    const next = isUnchanged
      ? { attempts, nextAttemptAt: inSeconds(RETRY_SECONDS[delivery.attempts] ?? 0) }
      : { nextAttemptAt: new Date() };
    await this.db.webhookDelivery.update({ where: { id: delivery.id }, data: { ...outcome, ...next } });
    return isUnchanged ? failures : FAILURES_TO_PAUSE;
  }

  /** Gives false for a webhook that its account changed, or woke, during the attempt: it is tried again at once. */
  private async pause({ id, updatedAt }: Webhook, failures: number): Promise<boolean> {
    const pause = RETRY_SECONDS[Math.min(failures, RETRY_SECONDS.length) - 1] ?? 0;
    const resumesAt = failures >= FAILURES_TO_PAUSE ? inSeconds(pause) : null;
    const changed = await this.db.$executeRaw`
      UPDATE webhooks SET failures = ${failures}, resumes_at = ${resumesAt}
      WHERE id = ${id}::uuid AND updated_at = ${updatedAt}`;
    return changed === 1;
  }

  private async end(delivery: WebhookDelivery, sent: SentWebhook, state: "delivered" | "failed"): Promise<void> {
    await this.db.webhookDelivery.update({
      where: { id: delivery.id },
      data: { ...attemptOf(delivery, sent), state, nextAttemptAt: null },
    });
  }

  /** Has nothing delivered until its account enables it; events wait meanwhile. Gives false where `pause` does. */
  private async disable(
    { id, accountId, url, updatedAt }: Webhook,
    sent: SentWebhook,
    attempts: number,
  ): Promise<boolean> {
    const last = sent.error ?? `the last answer had the status ${sent.status}`;
    const reason =
      sent.status === 410 ? "the receiver answered that it is gone (410)" : `${attempts} tries failed: ${last}`;
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
          message: `Nothing is delivered to ${url}: ${reason}.`,
          severity: "warning",
          startedAt: now,
        },
      });
      return true;
    });
  }

  /** Undefined where its event is no longer kept. */
  private async bodyOf(
    webhook: Webhook,
    { accountId, position, seq, type }: WebhookDelivery,
  ): Promise<string | undefined> {
    const link = linkUnder(webhook.baseUrl);
    const timestamp = new Date().toISOString();
    if (position === null || seq === null)
      return JSON.stringify({ type, timestamp, data: webhookRecord.serialize(webhook, link) });
    const row = await this.db.event.findUnique({ where: { accountId_position_seq: { accountId, position, seq } } });
    if (!row) return undefined;
    return JSON.stringify({ type, timestamp: row.createdAt.toISOString(), data: renderEvent(row, link, this.log) });
  }

  private async headersOf(webhook: Webhook, { id }: WebhookDelivery, body: string): Promise<Record<string, string>> {
    const now = new Date();
    const secrets = await this.secretsOf(webhook, now);
    return {
      "Content-Type": "application/json",
      "User-Agent": "Gantry",
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": secrets.map((secret) => new Signer(secret).sign(id, now, body)).join(" "),
    };
  }

  private async secretsOf(webhook: Webhook, now: Date): Promise<string[]> {
    const { id, accountId, secret, previousSecret, previousSecretUntil } = webhook;
    const open = (sealed: Uint8Array, column: string) =>
      this.vault.open(sealed, { table: "webhooks", column, id, account: accountId });
    const isBoth = previousSecret && previousSecretUntil && previousSecretUntil > now;
    return Promise.all([open(secret, "secret"), ...(isBoth ? [open(previousSecret, "previous_secret")] : [])]);
  }
}

function attemptOf({ attempts }: WebhookDelivery, { status, answer, error, durationMs }: SentWebhook) {
  return {
    attempts: attempts + 1,
    attemptedAt: new Date(),
    status: status ?? null,
    answer: answer ?? null,
    error: error ?? null,
    durationMs,
  };
}

function inSeconds(seconds: number): Date {
  return new Date(Date.now() + seconds * 1000);
}
