import { provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const databaseServerSnapshotRequestTypes = {
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
