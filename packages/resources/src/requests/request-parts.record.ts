import type { CloudObject, RequestMessage, RequestStage } from "@gantry/db";
import { z } from "zod";
import { field, uuid } from "../declarations/fields.js";
import { wireRecord } from "../declarations/record.js";
import { isoOrNull, timestamp } from "../declarations/timestamps.js";

/** A stage that a Request has reached. */
export const stage = wireRecord({
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
  computed: (_row: RequestStage) => ({}),
});

/** A message that a Request wrote while it ran. */
export const message = wireRecord({
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
  computed: (_row: RequestMessage) => ({
    type: null,
    resource: null,
  }),
});

/** A row of the ledger: one cloud object that a Request creates. */
export const cloudObject = wireRecord({
  name: "cloud_object",
  plural: "cloud_objects",
  record: z
    .object({
      kind: field(z.string(), "volume"),
      key: field(z.string(), "main"),
      id: field(z.string().nullable(), "vpc-0123456789abcdef0", "Null until AWS has returned it"),
      region: field(z.string(), "us-east-1"),
      attempted_at: timestamp.nullable().describe("The last call to create it; null before"),
      created_at: timestamp,
      ready_at: timestamp.nullable(),
      removed_at: timestamp.nullable(),
    })
    .meta({ id: "CloudObject" }),
  computed: ({ cloudId, attemptedAt }: CloudObject) => ({
    id: cloudId,
    // A row is written with 1970 before the first call.
    attempted_at: isoOrNull(attemptedAt.getTime() === 0 ? null : attemptedAt),
  }),
});
