import { z } from "zod";
import { deprovision, type RequestTypeDefinitions } from "./definition.js";

/** What is done about what the drift sweep found. */
export const driftRequestTypes = {
  remove_orphan: {
    ...deprovision,
    title: "Remove orphan",
    // The finding itself is forgotten as soon as the thing is gone, also by the sweep.
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
