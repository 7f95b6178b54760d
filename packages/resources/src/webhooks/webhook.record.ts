import type { Webhook } from "@gantry/db";
import { z } from "zod";
import { isoOrNull, maskUrl, resource, timestamp } from "../declarations/record.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

/** The columns that its record shows; the others are the worker's. */
type Shown = Omit<Webhook, "secret" | "previousSecret">;

export const webhook = resource({
  name: "webhook",
  plural: "webhooks",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.uuid(),
      account: z.url(),
      url: z.url().describe("Its path and query are hidden (`***`) from all but administrators of the account"),
      description: z.string(),
      events: z.array(z.string()).describe("The types of the events that it gets; all where empty"),
      disabled_at: timestamp.nullable().describe("Nothing is delivered since"),
      disabled_reason: z.string().nullable(),
      failures: z.int().describe("Attempts that failed since the last one that did not"),
      resumes_at: timestamp.nullable().describe("The time of the next attempt after failures"),
      previous_secret_until: timestamp.nullable().describe("Until then the secret before the last rotation signs too"),
      ...deletableTimestamps,
    })
    .meta({ id: "Webhook" }),
  forAdmins: ({ url }: Shown) => ({ url }),
  serialize: (row: Shown, link) => ({
    id: row.id,
    account: link("accounts", row.accountId),
    url: maskUrl(row.url),
    description: row.description,
    events: row.events,
    disabled_at: isoOrNull(row.disabledAt),
    disabled_reason: row.disabledReason,
    failures: row.failures,
    resumes_at: isoOrNull(row.resumesAt),
    previous_secret_until: isoOrNull(row.previousSecretUntil),
    ...deletableTimestampsOf(row),
  }),
});
