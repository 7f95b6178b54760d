import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const volumeRequestTypes = {
  volume_provision: {
    ...provision,
    title: "Provision volume",
    cancelledByRemoval: true,
    stages: ["create"],
    creates: ["volume"],
  },
  attach_volume: {
    ...change,
    title: "Attach volume",
    uses: { serverId: "server" },
    input: z.object({ serverId: z.int(), device: z.string() }),
    stages: ["attach"],
  },
  detach_volume: {
    ...change,
    title: "Detach volume",
    stages: ["detach"],
  },
  modify_volume: {
    ...change,
    title: "Modify volume",
    // What changes; null is AWS's default of a new type.
    input: z.object({
      sizeGb: z.int().exactOptional(),
      volumeType: z.string().exactOptional(),
      iops: z.int().nullable().exactOptional(),
      throughput: z.int().nullable().exactOptional(),
    }),
    stages: ["modify", "grow-file-system"],
    // A change waits until AWS has completed the one before.
    deadlineMinutes: 1440,
  },
  deprovision_volume: {
    ...remove,
    title: "Deprovision volume",
    removesRecord: "volume",
    stages: ["destroy"],
    removes: ["volume"],
  },
} as const satisfies RequestTypeDefinitions;
