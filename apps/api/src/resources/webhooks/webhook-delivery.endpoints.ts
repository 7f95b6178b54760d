import { DeliveryState } from "@gantry/db";
import { webhookDelivery } from "@gantry/resources";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors/errors.js";
import { equals, indexedByValue, text } from "../../http/lists/filters.js";
import { many } from "../../http/reply/list.js";
import { created, one } from "../../http/reply/reply.js";
import { listChildren, showRecord } from "../record-endpoints.js";
import { findEnabled } from "./webhook.rules.js";

const state = indexedByValue(equals(z.enum(DeliveryState)), { within: "webhook_id", values: ["pending", "failed"] });

export const webhookDeliveryEndpoints = [
  listChildren(
    "GET /webhooks/:webhook/deliveries",
    "List past and pending deliveries of a webhook, newest first",
    many(webhookDelivery, { filters: { state, type: text } }),
    "webhookDelivery",
    "webhook",
  ),

  showRecord("GET /deliveries/:delivery", "Show a delivery", one(webhookDelivery), "webhookDelivery"),

  endpoint({
    route: "POST /deliveries/:delivery/redeliver",
    operation: "redeliver",
    summary: "Deliver the same event again, with the same id",
    transaction: true,
    reply: one(webhookDelivery),
    handle: async ({ params, caller, db }) => {
      const { id, webhookId } = await caller.find("webhookDelivery", params.delivery);
      // The webhook's lock comes first, as in every place that makes deliveries due.
      await findEnabled(caller, webhookId);
      // A delivery that is due is under way, unless its webhook waits.
      const changed = await db.$executeRaw`
        UPDATE webhook_deliveries d SET state = 'pending', attempts = 0, next_attempt_at = now(), asked_at = now(),
          updated_at = now()
        FROM webhooks w WHERE d.id = ${id}::uuid AND w.id = d.webhook_id
          AND (d.next_attempt_at IS NULL OR d.next_attempt_at > now() OR (w.resumes_at > now() AND d.asked_at IS NULL))`;
      if (changed === 0) throw conflict(`delivery ${id} is already in progress`);
      return caller.find("webhookDelivery", id);
    },
  }),

  endpoint({
    route: "POST /webhooks/:webhook/ping",
    summary: "Deliver a ping once and show the webhook's response",
    transaction: true,
    reply: created(webhookDelivery),
    handle: async ({ params, caller, db }) => {
      const { id: webhookId, accountId } = await findEnabled(caller, params.webhook);
      return db.webhookDelivery.create({ data: { id: uuidv7(), accountId, webhookId, type: "ping" } });
    },
  }),
];
