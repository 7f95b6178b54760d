import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const addressRequestTypes = {
  address_provision: {
    ...provision,
    title: "Provision address",
    cancelledByRemoval: true,
    stages: ["create"],
    creates: ["address"],
  },
  attach_address: {
    ...change,
    title: "Attach address",
    uses: { serverId: "server" },
    input: z.object({ serverId: z.int() }),
    stages: ["attach"],
  },
  detach_address: {
    ...change,
    title: "Detach address",
    stages: ["detach"],
  },
  deprovision_address_request: {
    ...remove,
    title: "Deprovision address",
    removesRecord: "address",
    stages: ["destroy"],
    removes: ["address"],
  },
} as const satisfies RequestTypeDefinitions;
