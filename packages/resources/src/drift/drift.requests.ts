import { z } from "zod";
import { change, deprovision, discover, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const driftRequestTypes = {
  scan_drift: {
    ...discover,
    title: "Scan for drift",
    input: z.object({ quietSeconds: z.number() }),
    stages: ["scan"],
    deadlineMinutes: 120,
  },
  remove_leaked_resources: {
    ...change,
    title: "Remove leaked resources",
    stages: ["remove"],
    insteadOfRetry: "remove the leaked resources again",
    keepsResource: false,
    deadlineMinutes: 90,
  },
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
      "image",
      "volume",
      "snapshot",
      "address",
      "vpc",
      "subnet",
      "security_group",
    ],
  },
} as const satisfies RequestTypeDefinitions;
