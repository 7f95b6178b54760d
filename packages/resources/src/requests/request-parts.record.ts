import type { RequestMessage, RequestStage } from "@gantry/db";
import { z } from "zod";
import { iso, isoOrNull, resource, timestamp } from "../declarations/record.js";

/** A stage that a Request has reached. */
export const stage = resource({
  name: "stage",
  plural: "stages",
  record: z
    .object({
      name: z.string(),
      state: z.enum(["running", "waiting", "finished", "failed"]),
      attempts: z.int(),
      started_at: timestamp,
      finished_at: timestamp.nullable(),
      error: z.string().nullable(),
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
      id: z.uuid(),
      created_at: timestamp,
      message: z.string(),
      type: z.string().nullable(),
      resource: z.string().nullable(),
      stage: z.string().nullable(),
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
