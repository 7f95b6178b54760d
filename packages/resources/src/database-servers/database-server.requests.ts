import { provision, type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const databaseServerRequestTypes = {
  provision_database_server: {
    ...provision,
    title: "Provision database server",
    cancelledByRemoval: true,
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
} as const satisfies RequestTypeDefinitions;
