import { z } from "zod";
import { change, provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const databaseServerRequestTypes = {
  provision_database_server: {
    ...provision,
    title: "Provision database server",
    cancelledByRemoval: true,
    stages: ["create"],
    deadlineMinutes: 180,
    creates: ["db_instance"],
  },
  modify_database_server: {
    ...change,
    title: "Modify database server",
    // Only what changes.
    input: z.object({
      flavor: z.string().exactOptional(),
      version: z.string().exactOptional(),
      storageGb: z.int().exactOptional(),
      storageType: z.string().exactOptional(),
      iops: z.int().nullable().exactOptional(),
      multiAz: z.boolean().exactOptional(),
      backupRetentionPeriod: z.int().exactOptional(),
      certificateAuthority: z.string().nullable().exactOptional(),
      /** As RDS writes them. */
      backupWindow: z.string().exactOptional(),
      maintenanceWindow: z.string().exactOptional(),
      /** At once if absent. */
      apply: z.enum(["now", "window"]).exactOptional(),
    }),
    stages: ["modify", "wait-until-applied"],
    // A change of the storage waits until RDS has optimized it after the one before.
    deadlineMinutes: 1440,
  },
  update_database_server: {
    ...change,
    title: "Update database server",
    input: z.object({
      action: z.enum(["start", "stop", "reboot"]),
      /** For a reboot: whether the other zone takes over. */
      failover: z.boolean().exactOptional(),
    }),
    stages: ["update", "wait-until-updated"],
    deadlineMinutes: 180,
  },
  promote_database_server: {
    ...change,
    title: "Promote database server",
    // Its record is the new database, into which the server moves.
    uses: { serverId: "database_server", formerServiceId: "database_service" },
    addsDependents: true,
    input: z.object({ serverId: z.uuid(), formerServiceId: z.uuid() }),
    stages: ["create-firewall", "promote", "set-password", "move"],
    deadlineMinutes: 360,
    creates: ["security_group", "security_group_rule"],
  },
  deprovision_database_server: {
    ...remove,
    title: "Deprovision database server",
    removesRecord: "database_server",
    stages: ["destroy"],
    deadlineMinutes: 120,
    removes: ["db_instance"],
  },
} as const satisfies RequestTypeDefinitions;
