import { z } from "zod";
import { provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const databaseServiceRequestTypes = {
  provision_database_service: {
    ...provision,
    title: "Provision database service",
    uses: { sourceServerId: "database_server", snapshotId: "database_server_snapshot" },
    input: z.object({
      /** If absent, as in the source; false for a new database. */
      extendedSupport: z.boolean().exactOptional(),
      /** The database server whose backups are restored: to `restoreTime`, or to the latest time if that is absent. */
      sourceServerId: z.uuid().exactOptional(),
      restoreTime: z.iso.datetime().exactOptional(),
      /** The snapshot that is restored. */
      snapshotId: z.uuid().exactOptional(),
    }),
    stages: ["create-firewall", "create-master", "create-provider-credentials"],
    deadlineMinutes: 180,
    creates: ["security_group", "security_group_rule", "db_subnet_group", "db_cluster", "db_instance"],
  },
  rotate_database_credentials: {
    ...provision,
    title: "Rotate database credentials",
    stages: ["wait-until-available", "set-password", "wait-until-applied"],
    deadlineMinutes: 180,
    insteadOfRetry: "rotate the credentials again",
  },
  deprovision_database_service: {
    ...remove,
    title: "Deprovision database service",
    uses: { finalSnapshotId: "database_server_snapshot" },
    removesToo: ["database_server"],
    removesRecord: "database_service",
    input: z.object({ finalSnapshotId: z.uuid().nullable() }),
    children: ["deprovision_database_server"],
    stages: ["remove-replicas", "destroy"],
    deadlineMinutes: 240,
    creates: ["db_snapshot", "db_cluster_snapshot"],
    removes: ["db_instance", "db_cluster", "db_parameter_group", "db_subnet_group", "security_group"],
  },
} as const satisfies RequestTypeDefinitions;
