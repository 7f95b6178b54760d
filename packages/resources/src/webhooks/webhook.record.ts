import type { Webhook } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { deletableTimestamps, timestamp } from "../declarations/timestamps.js";
import { maskUrl } from "../declarations/urls.js";

/** The columns that its record shows; the others are the worker's. */
type Shown = Omit<Webhook, "secret" | "previousSecret">;

export const webhook = wireRecord({
  name: "webhook",
  plural: "webhooks",
  deleted: "deletedAt",
  record: z
    .object({
      id: uuid,
      account: linkTo("accounts"),
      url: linkTo("webhooks").describe("Only the account's administrators see its path and query; others see `***`"),
      description: field(z.string(), "An example"),
      events: field(
        z.array(z.string()),
        ["request.failed"],
        "The types of events that it receives; all types if empty",
      ),
      disabled_at: timestamp.nullable().describe("Since when nothing is delivered"),
      disabled_reason: field(z.string().nullable(), "its account disabled it"),
      failures: field(z.int(), 0, "Failed attempts since the last success"),
      resumes_at: timestamp.nullable().describe("When the next attempt is made after failures"),
      previous_secret_until: timestamp.nullable().describe("Until when the previous secret also signs"),
      ...deletableTimestamps,
    })
    .meta({ id: "Webhook" }),
  forAdmins: ({ url }: Shown) => ({ url }),
  computed: (row: Shown) => ({
    url: maskUrl(row.url),
  }),
});
