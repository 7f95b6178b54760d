import { REGION_NAMES } from "@gantry/aws-facts";
import type { Snapshot } from "@gantry/db";
import { z } from "zod";
import { field } from "../declarations/fields.js";
import { linkTo } from "../declarations/links.js";
import { wireRecord } from "../declarations/record.js";
import { tagged, tagsOf } from "../declarations/tags.js";
import { deletableTimestamps } from "../declarations/timestamps.js";

export const snapshot = wireRecord({
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
  computed: (row: Snapshot, link) => ({
    size: row.sizeGb,
    region: { id: row.region, name: REGION_NAMES.get(row.region) ?? row.region },
    snaplocked: false,
    mount: null,
    grade: "full",
    arch: 64,
    snapshot_server_request: link("requests", row.requestId),
    ...tagsOf(row),
  }),
});
