import { DeliveryState } from "@gantry/db";
import { v7 as uuidv7 } from "uuid";
import { z } from "zod";
import { endpoint } from "../../http/endpoint.js";
import { conflict } from "../../http/errors.js";
import { equals, text } from "../../http/filters.js";
import { created, many, one } from "../../http/reply.js";
import { listChildren, showRecord } from "../read-endpoints.js";
import { wakeWebhook } from "./webhook.rules.js";
import { webhookDelivery } from "./webhook-delivery.resource.js";

export const webhookDeliveryEndpoints = [
  listChildren(
    "GET /webhooks/:webhook/deliveries",
    "List what was and will be delivered to a webhook, the newest first",
    many(webhookDelivery, { filters: { state: equals(z.enum(DeliveryState)), type: text } }),
    "webhookDelivery",
    "webhook",
  ),

  showRecord("GET /deliveries/:delivery", "Show a delivery", one(webhookDelivery), "webhookDelivery"),

  endpoint({
    route: "POST /deliveries/:delivery/redeliver",
    operation: "redeliver",
    summary: "Deliver once more, with the same id and the event as it was",
    transaction: true,
    reply: one(webhookDelivery),
    handle: async ({ params, caller, db }) => {
      // The webhook's lock comes first, as wherever a webhook resumes.
      await wakeWebhook(caller, db, (await caller.find("webhookDelivery", params.delivery)).webhookId);
      const { id, nextAttemptAt } = await caller.find("webhookDelivery", params.delivery, "update");
      if (nextAttemptAt && nextAttemptAt <= new Date()) throw conflict(`the delivery ${id} is under way`);
      return db.webhookDelivery.update({
        where: { id },
        data: { state: "pending", attempts: 0, nextAttemptAt: new Date() },
      });
    },
  }),

  endpoint({
    route: "POST /webhooks/:webhook/ping",
    summary: "Deliver a ping, once, and show how the webhook answers",
    transaction: true,
    reply: created(webhookDelivery),
    handle: async ({ params, caller, db }) => {
      const { id: webhookId, accountId } = await wakeWebhook(caller, db, params.webhook);
      return db.webhookDelivery.create({ data: { id: uuidv7(), accountId, webhookId, type: "ping" } });
    },
  }),
];
