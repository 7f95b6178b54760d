import { REGION_NAMES } from "@gantry/aws-facts";
import type { Snapshot } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { resource } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps, deletableTimestampsOf } from "../declarations/timestamps.js";
import { linkTo } from "../links.js";

export const snapshot = resource({
  name: "snapshot",
  plural: "snapshots",
  deleted: "deletedAt",
  record: z
    .object({
      id: field(z.int(), 1),
      ...deletableTimestamps,
      state: field(z.string(), "running", "starting, pending, completed or error"),
      progress: field(z.int(), 0, "Percent"),
      size: field(z.int(), 25, "Size in GB of the volume that it copies"),
      region: z.object({ id: field(z.string(), "1"), name: field(z.string(), "shop") }),
      snaplocked: z.boolean(),
      mount: z.null(),
      grade: field(z.string(), "standard", "Always full: every snapshot restores a whole volume"),
      arch: field(z.int(), 1),
      environment: linkTo("environments"),
      server: linkTo("servers"),
      volume: linkTo("volumes"),
      provider: linkTo("providers"),
      account: linkTo("accounts"),
      snapshot_server_request: linkTo("requests").describe(
        "The Request that created the snapshots of all volumes of the server",
      ),
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
