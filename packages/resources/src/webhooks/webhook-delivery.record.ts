import { DeliveryState, type WebhookDelivery } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, resource, timestamp } from "../declarations/record.js";
import { timestamps, timestampsOf } from "../declarations/timestamps.js";

export const webhookDelivery = resource({
  name: "delivery",
  plural: "deliveries",
  record: z
    .object({
      id: z.uuid().describe("The header `webhook-id`, which is the same for every attempt"),
      webhook: z.url(),
      event: z.string().nullable().describe("The id of the event; null for a ping"),
      type: z.string().describe("The type of the event, or `ping`"),
      state: z.enum(DeliveryState),
      attempts: z.int(),
      attempted_at: timestamp.nullable(),
      next_attempt_at: timestamp.nullable(),
      status: z.int().nullable().describe("The status of the last response"),
      answer: z.string().nullable().describe("The first KiB of the last response's body"),
      error: z.string().nullable().describe("Why the last attempt got no response"),
      duration: z.number().nullable().describe("The duration of the last attempt in seconds"),
      ...timestamps,
    })
    .meta({ id: "Delivery" }),
  serialize: (row: WebhookDelivery, link) => ({
    id: row.id,
    webhook: link("webhooks", row.webhookId),
    event: row.position === null ? null : `${row.position}-${row.seq}`,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    attempted_at: isoOrNull(row.attemptedAt),
    next_attempt_at: isoOrNull(row.nextAttemptAt),
    status: row.status,
    answer: row.answer,
    error: row.error,
    duration: row.durationMs === null ? null : row.durationMs / 1000,
    ...timestampsOf(row),
  }),
});
