import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const autoScalingGroupRequestTypes = {
  provision_auto_scaling_group: {
    ...provision,
    title: "Provision auto scaling group",
    cancelledByRemoval: true,
    uses: { serverId: "server" },
    input: z.object({ serverId: z.int() }),
    stages: ["create", "attach-app-master", "protect-app-master"],
    creates: ["launch_template", "auto_scaling_group"],
  },
  update_auto_scaling_group: {
    ...change,
    title: "Update auto scaling group",
    input: z.object({ minimumSize: z.int(), maximumSize: z.int(), desiredCapacity: z.int() }),
    stages: ["update"],
  },
  modify_auto_scaling_group: {
    ...change,
    title: "Modify auto scaling group",
    // A failed or cancelled one gives the group its former flavor, blueprint and sizes.
    onFailure: "compensate",
    // What changes.
    input: z.object({
      flavor: z.string().exactOptional(),
      // Only with a flavor, which may be the group's; null for the app master.
      blueprintId: z.uuid().nullable().exactOptional(),
      minimumSize: z.int().exactOptional(),
      maximumSize: z.int().exactOptional(),
      desiredCapacity: z.int().exactOptional(),
      minHealthyPercentage: z.int().exactOptional(),
    }),
    stages: ["replace", "resize"],
    // AWS replaces 100 instances one after another.
    deadlineMinutes: 1440,
  },
  deprovision_auto_scaling_group: {
    ...remove,
    title: "Deprovision auto scaling group",
    removesRecord: "auto_scaling_group",
    stages: ["release-app-master", "destroy"],
    removes: ["auto_scaling_group", "launch_template"],
  },
} as const satisfies RequestTypeDefinitions;
