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
  deprovision_volume: {
    ...remove,
    title: "Deprovision volume",
    removesRecord: "volume",
    stages: ["destroy"],
    removes: ["volume"],
  },
} as const satisfies RequestTypeDefinitions;
