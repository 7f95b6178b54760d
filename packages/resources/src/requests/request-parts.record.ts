import type { RequestMessage, RequestStage } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";

/** A stage that a Request has reached. */
export const stage = resource({
  name: "stage",
  plural: "stages",
  record: z
    .object({
      name: field(z.string(), "shop"),
      state: z.enum(["running", "waiting", "finished", "failed"]),
      attempts: field(z.int(), 1),
      started_at: timestamp,
      finished_at: timestamp.nullable(),
      error: field(z.string().nullable(), "the call failed: ECONNREFUSED"),
    })
    .meta({ id: "Stage" }),
  serialize: (row: RequestStage) => ({
    name: row.name,
    state: row.state,
    attempts: row.attempts,
    started_at: iso(row.startedAt),
    finished_at: isoOrNull(row.finishedAt),
    error: row.error,
  }),
});

/** A message that a Request wrote while it ran. */
export const message = resource({
  name: "message",
  plural: "messages",
  record: z
    .object({
      id: uuid,
      created_at: timestamp,
      message: field(z.string(), "the instance is running"),
      type: field(z.string().nullable(), null),
      resource: field(z.string().nullable(), null),
      stage: field(z.string().nullable(), "create"),
    })
    .meta({ id: "Message" }),
  serialize: (row: RequestMessage) => ({
    id: row.id,
    created_at: iso(row.createdAt),
    message: row.message,
    type: null,
    resource: null,
    stage: row.stage,
  }),
});
