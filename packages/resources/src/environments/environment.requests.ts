import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const environmentRequestTypes = {
  start_environment: {
    ...provision,
    title: "Start environment",
    cancelledByRemoval: true,
    uses: { serverIds: "server", addressId: "address" },
    input: z.object({ serverIds: z.array(z.int()).min(1), addressId: z.int().nullable() }),
    children: ["provision_default_firewall", "provision_server", "instance_update"],
    stages: ["start", "wait-for-instance-updates"],
    deadlineMinutes: 120,
    insteadOfRetry: "boot the environment again",
    creates: ["key_pair", "security_group", "security_group_rule", "instance", "volume"],
  },
  configure_environment: {
    ...change,
    title: "Configure environment",
    children: ["instance_update"],
    stages: ["update"],
    deadlineMinutes: 120,
  },
  deprovision_environment: {
    ...change,
    title: "Deprovision environment",
    removesToo: ["server", "auto_scaling_group"],
    children: ["deprovision_auto_scaling_group", "deprovision_server"],
    stages: ["auto-scaling-group", "servers", "firewall"],
    deadlineMinutes: 120,
    removes: ["auto_scaling_group", "launch_template", "instance", "image", "volume", "security_group", "key_pair"],
  },
  destroy_environment: {
    ...remove,
    title: "Destroy environment",
    removesToo: ["server", "auto_scaling_group", "snapshot"],
    removesRecord: "environment",
    children: [
      "deprovision_environment",
      "deprovision_auto_scaling_group",
      "deprovision_server",
      "deprovision_snapshot_request",
    ],
    stages: ["deprovision", "snapshots", "destroy"],
    deadlineMinutes: 180,
    removes: [
      "auto_scaling_group",
      "launch_template",
      "instance",
      "image",
      "volume",
      "security_group",
      "key_pair",
      "snapshot",
    ],
  },
} as const satisfies RequestTypeDefinitions;
