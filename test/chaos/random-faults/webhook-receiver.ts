import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Db } from "@gantry/db";
import { Webhook as Verifier } from "standardwebhooks";
import { type Received, type Receiver, startReceiver } from "../../support/receiver.js";
import type { Client } from "./client.js";
import { type Subscription, undelivered } from "./webhook-invariants.js";

const TYPES = ["request.accepted", "request.finished", "resource.created", "resource.deleted"];
/** The time without any delivery after which nothing more is expected, although something is missing. */
const SILENCE_MS = 60_000;

/** A webhook of an account, with a receiver that fails, hangs, loses answers and dies until it is repaired. */
export class WebhookReceiver implements Subscription {
  readonly types = TYPES;
  /** The ids of the events and deliveries that it accepted. */
  readonly ids = new Set<string>();
  /** The deliveries whose signature was wrong. */
  readonly unverified: string[] = [];
  ping: string | undefined;
  private isFixed = false;

  private constructor(
    private readonly client: Client,
    readonly accountId: string,
    private readonly id: string,
    private readonly verifier: Verifier,
    /** The cursor in the account's events after which it gets them. */
    readonly position: bigint,
    private receiver: Receiver,
  ) {}

  /** Adds the webhook. The account must be at rest. */
  static async start(db: Db, client: Client, accountId: string): Promise<WebhookReceiver> {
    let started: WebhookReceiver | undefined;
    const receiver = await startReceiver((delivery, response) => started?.answer(delivery, response));
    const { webhook, secret } = await client.send<{ webhook: { id: string }; secret: string }>(
      "POST",
      `/accounts/${accountId}/webhooks`,
      { webhook: { url: receiver.url, events: TYPES } },
    );
    const { id, position } = await db.webhook.findUniqueOrThrow({ where: { id: webhook.id } });
    started = new WebhookReceiver(client, accountId, id, new Verifier(secret), position, receiver);
    return started;
  }

  /** Refuses connections until `revive`. */
  async die(): Promise<void> {
    await this.receiver.close();
  }

  /** Listens at the same address again, and has Gantry try it at once. */
  async revive(): Promise<void> {
    this.receiver = await startReceiver((delivery, response) => this.answer(delivery, response), this.receiver.port);
    await this.client.send("POST", `/webhooks/${this.id}/ping`);
  }

  /** Fails no more, has Gantry deliver what waits, and stops when everything has arrived or nothing arrives any more. */
  async finish(db: Db): Promise<void> {
    this.isFixed = true;
    await this.client.send("PUT", `/webhooks/${this.id}`, { webhook: { disabled: false } });
    await this.waitUntilDelivered(db);
    // No event leads a worker to this delivery any more.
    const { delivery } = await this.client.send<{ delivery: { id: string } }>("POST", `/webhooks/${this.id}/ping`);
    this.ping = delivery.id;
    await this.waitUntilDelivered(db);
    await this.die();
  }

  private async waitUntilDelivered(db: Db): Promise<void> {
    let accepted = this.ids.size;
    let end = Date.now() + SILENCE_MS;
    const isUnderWay = async () => (await db.webhook.findUniqueOrThrow({ where: { id: this.id } })).leaseUntil !== null;
    while (Date.now() < end && ((await undelivered(db, this)).length > 0 || (await isUnderWay()))) {
      await sleep(250);
      if (this.ids.size === accepted) continue;
      accepted = this.ids.size;
      end = Date.now() + SILENCE_MS;
    }
  }

  private answer({ headers, body }: Received, response: ServerResponse): void {
    const draw = this.isFixed ? 100 : this.client.random.between(1, 100);
    if (draw <= 3) return;
    if (draw <= 6) return void response.destroy();
    if (draw <= 15) return void response.writeHead(500).end();
    try {
      const { data } = this.verifier.verify(body, headers as Record<string, string>) as { data: { id: string } };
      this.ids.add(data.id).add(String(headers["webhook-id"]));
    } catch (error) {
      this.unverified.push(`${headers["webhook-id"]}: ${error}`);
    }
    if (draw <= 20) response.destroy();
    else response.writeHead(204).end();
  }
}
