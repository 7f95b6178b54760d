import { DeliveryState, type WebhookDelivery } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { timestamp, timestamps } from "../declarations/timestamps.js";

export const webhookDelivery = wireRecord({
  name: "delivery",
  plural: "deliveries",
  record: z
    .object({
      id: uuid.describe("The header `webhook-id`, which is the same for every attempt"),
      webhook: linkTo("webhooks"),
      event: field(z.string().nullable(), "771-12", "The id of the event; null for a ping"),
      type: field(z.string(), "request.finished", "The type of the event, or `ping`"),
      state: z.enum(DeliveryState),
      attempts: field(z.int(), 1),
      attempted_at: timestamp.nullable(),
      next_attempt_at: timestamp.nullable(),
      status: field(z.int().nullable(), 200, "The status of the last response"),
      answer: field(z.string().nullable(), "", "The first KiB of the last response's body"),
      error: field(z.string().nullable(), "the call failed: ECONNREFUSED", "Why the last attempt got no response"),
      duration: field(z.number().nullable(), 1, "The duration of the last attempt in seconds"),
      ...timestamps,
    })
    .meta({ id: "Delivery" }),
  computed: (row: WebhookDelivery) => ({
    event: row.position === null ? null : `${row.position}-${row.seq}`,
    duration: row.durationMs === null ? null : row.durationMs / 1000,
  }),
});
