import { z } from "zod";
import { deprovision, type RequestTypeDefinitions } from "./definition.js";

/** Request types of the findings of a drift scan. */
export const driftRequestTypes = {
  remove_orphan: {
    ...deprovision,
    title: "Remove orphan",
    // A scan deletes the finding as soon as the object is gone, so the Request carries its data.
    input: z.object({
      kind: z.string(),
      cloudId: z.string(),
      providerId: z.int(),
      region: z.string(),
      noticedAt: z.iso.datetime(),
      quietSeconds: z.number(),
    }),
    stages: ["destroy"],
    removes: [
      "instance",
      "db_instance",
      "db_cluster",
      "auto_scaling_group",
      "volume",
      "snapshot",
      "address",
      "vpc",
      "subnet",
      "security_group",
    ],
  },
} as const satisfies RequestTypeDefinitions;
