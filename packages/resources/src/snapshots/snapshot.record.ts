import { REGION_NAMES } from "@gantry/aws-facts";
import type { Snapshot } from "@gantry/db";
import { z } from "zod";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";

export const snapshot = resource({
  name: "snapshot",
  plural: "snapshots",
  deleted: "deletedAt",
  record: z
    .object({
      id: z.int(),
      ...deletableTimestamps,
      state: z.string().describe("starting, pending, completed or error"),
      progress: z.int().describe("Percent"),
      size: z.int().describe("Size in GB of the volume that it copies"),
      region: z.object({ id: z.string(), name: z.string() }),
      snaplocked: z.boolean(),
      mount: z.null(),
      grade: z.string().describe("Always full: every snapshot restores a whole volume"),
      arch: z.int(),
      environment: z.url(),
      server: z.url(),
      volume: z.url(),
      provider: z.url(),
      account: z.url(),
      snapshot_server_request: z.url().describe("The Request that created the snapshots of all volumes of the server"),
      ...tagged,
    })
    .meta({ id: "Snapshot" }),
  serialize: (row: Snapshot, link) => ({
    id: row.id,
    ...deletableTimestampsOf(row),
    state: row.state,
    progress: row.progress,
    size: row.sizeGb,
    region: { id: row.region, name: REGION_NAMES.get(row.region) ?? row.region },
    snaplocked: false,
    mount: null,
    grade: "full",
    arch: 64,
    environment: link("environments", row.environmentId),
    server: link("servers", row.serverId),
    volume: link("volumes", row.volumeId),
    provider: link("providers", row.providerId),
    account: link("accounts", row.accountId),
    snapshot_server_request: link("requests", row.requestId),
    ...tagsOf(row),
  }),
});
