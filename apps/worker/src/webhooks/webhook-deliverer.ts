import { type Db, type Event, Prisma, type Vault, type Webhook, type WebhookDelivery } from "@gantry/db";
import { NEXT_EVENT, readEvents } from "@gantry/resources";
import type { Log } from "@gantry/runtime";
import pLimit from "p-limit";
import { v7 as uuidv7 } from "uuid";
import { DeliveryMessages } from "./delivery-messages.js";
import { DeliveryOutcomes, type Next } from "./delivery-outcomes.js";
import type { SentWebhook, WebhookSender } from "./webhook-sender.js";

/** The longest time of one delivery run; the next webhook follows. */
const RUN_MS = 5000;
/** Longer than a run and its last call: two workers never deliver to one webhook at once. */
const LEASE_SECONDS = 15;
/** A receiver that takes longer to answer is a slow one. */
const SLOW_MS = 1000;
const EVENTS_AT_ONCE = 200;
const DELIVERIES_AT_ONCE = 20;
/** Webhooks whose events are read at once; the other connections are for the Requests. */
const MAX_READ_AT_ONCE = 4;

/** Deliveries that do not wait for the pause of their webhook. */
const IGNORES_PAUSE = Prisma.sql`(d.position IS NULL OR d.asked_at IS NOT NULL)`;

/** The position of the next event; null if there is none. */
const NEXT_POSITION = Prisma.sql`(SELECT position FROM (${NEXT_EVENT}) next_event)`;

export type DueWebhook = Pick<Webhook, "id" | "accountId" | "isSlow">;

/** What there is to do now. */
export interface Due {
  /** The webhooks that may be delivered to, in random order. */
  webhooks: DueWebhook[];
  /** Whether there are events that cannot be read before earlier transactions have ended. */
  areEventsHeldBack: boolean;
}

/** The ids of deliveries that are due, and the time by the database's clock. */
interface DueDeliveries {
  ids: string[];
  now(): Date;
}

export interface WebhookDelivererOptions {
  db: Db;
  vault: Vault;
  sender: WebhookSender;
  log: Log;
  isStopping?: () => boolean;
  /** The time from which on an answer is slow. */
  slowMs?: number;
}

/** Makes deliveries of new events, and sends the ones that are due. */
export class WebhookDeliverer {
  private readonly db: Db;
  private readonly messages: DeliveryMessages;
  private readonly outcomes: DeliveryOutcomes;
  private readonly sender: WebhookSender;
  private readonly isStopping: () => boolean;
  private readonly slowMs: number;
  private readonly limitReads = pLimit(MAX_READ_AT_ONCE);

  constructor({ db, vault, sender, log, isStopping = () => false, slowMs = SLOW_MS }: WebhookDelivererOptions) {
    this.db = db;
    this.messages = new DeliveryMessages(vault, log);
    this.outcomes = new DeliveryOutcomes(db);
    this.sender = sender;
    this.isStopping = isStopping;
    this.slowMs = slowMs;
  }

  /** Finds the webhooks for which there is something to do. */
  async due(): Promise<Due> {
    const rows = await this.db.$queryRaw<(DueWebhook & { isDue: boolean })[]>`
      SELECT w.id, w.account_id AS "accountId", w.is_slow AS "isSlow", due."isDue"
      FROM webhooks w, (SELECT event_horizon() AS horizon) clock,
        LATERAL (SELECT w.resumes_at IS NULL OR w.resumes_at <= now() AS is_open, ${NEXT_POSITION} AS next) place,
        LATERAL (SELECT place.is_open AND place.next >= clock.horizon AS is_held_back,
          (place.is_open AND (coalesce(place.next < clock.horizon, false)
            OR EXISTS (SELECT FROM webhook_deliveries d WHERE d.webhook_id = w.id AND d.next_attempt_at <= now())))
          OR EXISTS (SELECT FROM webhook_deliveries d
            WHERE d.webhook_id = w.id AND d.next_attempt_at <= now() AND ${IGNORES_PAUSE}) AS "isDue") due
      WHERE w.disabled_at IS NULL AND w.deleted_at IS NULL AND (w.lease_until IS NULL OR w.lease_until < now())
        AND (due."isDue" OR due.is_held_back)
      ORDER BY random()`;
    const webhooks = rows.filter(({ isDue }) => isDue).map(({ isDue: _, ...webhook }) => webhook);
    return { webhooks, areEventsHeldBack: webhooks.length < rows.length };
  }

  /**
   * Delivers to one webhook, the oldest event first, until nothing is due or the run has lasted long enough.
   *
   * @returns the milliseconds until there may be more to deliver; undefined if nothing is left, or another worker
   * delivers
   */
  async deliver(id: string): Promise<number | undefined> {
    const end = performance.now() + RUN_MS;
    const leaseUntil = await this.claim(id);
    if (!leaseUntil) return undefined;
    let moreMs: number | undefined;
    try {
      let goesOn = true;
      while (goesOn && this.mayContinue(end)) goesOn = await this.deliverSome(id, end);
    } finally {
      moreMs = await this.release(id, leaseUntil);
    }
    return moreMs;
  }

  private async release(id: string, leaseUntil: Date): Promise<number | undefined> {
    const nextAttempt = (condition: Prisma.Sql) => Prisma.sql`
      (SELECT min(d.next_attempt_at) FROM webhook_deliveries d WHERE d.webhook_id = w.id AND ${condition})`;
    const [released] = await this.db.$queryRaw<{ ms: number | null }[]>`
      UPDATE webhooks w SET lease_until = NULL WHERE id = ${id}::uuid AND lease_until = ${leaseUntil}
      RETURNING (extract(epoch FROM least(
        ${nextAttempt(IGNORES_PAUSE)},
        greatest(w.resumes_at, least(${nextAttempt(Prisma.sql`true`)}, CASE WHEN ${NEXT_POSITION} IS NOT NULL THEN now() END))
      ) - now()) * 1000)::float8 AS ms`;
    return released?.ms ?? undefined;
  }

  private mayContinue(end: number): boolean {
    return performance.now() < end && !this.isStopping();
  }

  /** @returns the end of the lease; undefined if another worker has it, or the webhook may not deliver */
  private async claim(id: string): Promise<Date | undefined> {
    const [claimed] = await this.db.$queryRaw<{ leaseUntil: Date }[]>`
      UPDATE webhooks SET lease_until = now() + make_interval(secs => ${LEASE_SECONDS}::float8)
      WHERE id = ${id}::uuid AND disabled_at IS NULL AND deleted_at IS NULL
        AND (lease_until IS NULL OR lease_until < now())
      RETURNING lease_until AS "leaseUntil"`;
    return claimed?.leaseUntil;
  }

  /** @returns whether there may be more to deliver now */
  private async deliverSome(id: string, end: number): Promise<boolean> {
    const webhook = await this.findWebhook(id);
    if (!webhook) return false;
    await this.addDeliveries(webhook);
    const { ids, now } = await this.findDue(id);
    for (const deliveryId of ids) {
      if (!this.mayContinue(end)) return false;
      const next = await this.attempt(id, deliveryId, now);
      if (next !== "next") return next === "check again";
    }
    return ids.length > 0;
  }

  private findWebhook(id: string): Promise<Webhook | null> {
    return this.db.webhook.findUnique({ where: { id, disabledAt: null, deletedAt: null } });
  }

  private async findDue(id: string): Promise<DueDeliveries> {
    const rows = await this.db.$queryRaw<{ id: string | null; now: Date }[]>`
      SELECT due.id, now() AS now FROM (SELECT) clock LEFT JOIN LATERAL (
        SELECT d.* FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id
        WHERE d.webhook_id = ${id}::uuid AND d.next_attempt_at <= now()
          AND (w.resumes_at IS NULL OR w.resumes_at <= now() OR ${IGNORES_PAUSE})
        ORDER BY d.position IS NOT NULL, d.asked_at, d.position, d.seq LIMIT ${DELIVERIES_AT_ONCE}) due ON true
      ORDER BY due.position IS NOT NULL, due.asked_at, due.position, due.seq`;
    const readAt = performance.now();
    const time = rows[0]?.now.getTime() ?? 0;
    return {
      ids: rows.flatMap(({ id }) => id ?? []),
      now: () => new Date(time + performance.now() - readAt),
    };
  }

  /** Makes deliveries of the next events, and moves the webhook's cursor past them in the same statement. */
  private async addDeliveries({ id, accountId, events: types, position, seq, updatedAt }: Webhook): Promise<void> {
    const selection = { accountIds: [accountId], ...(types.length > 0 && { types: types as never }) };
    const { events, cursor } = await this.limitReads(() =>
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
        WHERE id = ${id}::uuid AND position = ${position} AND seq = ${seq} AND updated_at = ${updatedAt}
        RETURNING id, account_id)
      INSERT INTO webhook_deliveries (id, account_id, webhook_id, position, seq, type)
      SELECT new.id, moved.account_id, moved.id, new.position, new.seq, new.type
      FROM moved, unnest(${columns.ids}::uuid[], ${columns.positions}::bigint[], ${columns.seqs}::bigint[],
        ${columns.types}::text[]) AS new (id, position, seq, type)
      ON CONFLICT DO NOTHING`;
  }

  /** Sends a delivery to its webhook as that is now. */
  private async attempt(webhookId: string, deliveryId: string, now: () => Date): Promise<Next> {
    const delivery = await this.db.webhookDelivery.findUnique({ where: { id: deliveryId, state: "pending" } });
    if (!delivery) return "next";
    const event = await this.eventOf(delivery);
    if (event === null) {
      await this.outcomes.end(delivery, { error: "the event is no longer kept", durationMs: 0 }, "failed");
      return "next";
    }
    // Last, so that a webhook that was removed, disabled, moved or got another secret does not get this delivery as it
    // was.
    const webhook = await this.findWebhook(webhookId);
    if (!webhook) return "end";
    const body = this.messages.bodyOf(webhook, delivery, event, now());
    const headers = await this.messages.headersOf(webhook, delivery, body, now());
    const sent = withoutPath(await this.sender.post(webhook.url, headers, body), webhook.url);
    const isSlow = sent.durationMs >= this.slowMs;
    if (isSlow !== webhook.isSlow)
      await this.db.$executeRaw`UPDATE webhooks SET is_slow = ${isSlow} WHERE id = ${webhookId}::uuid`;
    const next = await this.outcomes.record(webhook, delivery, sent);
    // The queue of slow webhooks delivers the rest.
    return isSlow && !webhook.isSlow ? "end" : next;
  }

  /** Returns the event of a delivery; null if it is no longer kept, undefined for a ping. */
  private async eventOf({ accountId, position, seq }: WebhookDelivery): Promise<Event | null | undefined> {
    if (position === null || seq === null) return undefined;
    return this.db.event.findUnique({ where: { accountId_position_seq: { accountId, position, seq } } });
  }
}

/** Hides the path and the query of a URL in an answer that repeats them: all readers of the account see deliveries. */
function withoutPath(sent: SentWebhook, url: string): SentWebhook {
  const { pathname, search } = new URL(url);
  const parts = [pathname + search, pathname, search].filter((part) => part.length > 1);
  const hide = (text: string, part: string) => text.replaceAll(part, "***");
  return sent.answer === undefined ? sent : { ...sent, answer: parts.reduce(hide, sent.answer) };
}
