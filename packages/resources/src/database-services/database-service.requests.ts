import { z } from "zod";
import { provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

/** Request types of databases. */
export const databaseRequestTypes = {
  provision_database_service: {
    ...provision,
    title: "Provision database service",
    input: z.object({ extendedSupport: z.boolean().default(false) }),
    stages: ["create-firewall", "create-master", "create-provider-credentials"],
    deadlineMinutes: 180,
    creates: ["security_group", "security_group_rule", "db_subnet_group", "db_cluster", "db_instance"],
  },
  deprovision_database_service: {
    ...remove,
    title: "Deprovision database service",
    uses: { finalSnapshotId: "database_server_snapshot" },
    removesToo: ["database_server"],
    removesRecord: "database_service",
    input: z.object({ finalSnapshotId: z.uuid().nullable() }),
    opens: ["deprovision_database_server"],
    stages: ["remove-replicas", "destroy"],
    deadlineMinutes: 240,
    creates: ["db_snapshot", "db_cluster_snapshot"],
    removes: ["db_instance", "db_cluster", "db_parameter_group", "db_subnet_group", "security_group"],
  },
  provision_database_server: {
    ...provision,
    title: "Provision database server",
    stages: ["create"],
    deadlineMinutes: 180,
    creates: ["db_instance"],
  },
  deprovision_database_server: {
    ...remove,
    title: "Deprovision database server",
    removesRecord: "database_server",
    stages: ["destroy"],
    deadlineMinutes: 120,
    removes: ["db_instance"],
  },
  provision_database_server_snapshot: {
    ...provision,
    title: "Provision database server snapshot",
    stages: ["create"],
    deadlineMinutes: 720,
    creates: ["db_snapshot", "db_cluster_snapshot"],
  },
  deprovision_database_server_snapshot: {
    ...remove,
    title: "Deprovision database server snapshot",
    removesRecord: "database_server_snapshot",
    stages: ["destroy"],
    removes: ["db_snapshot", "db_cluster_snapshot"],
  },
} as const satisfies RequestTypeDefinitions;
