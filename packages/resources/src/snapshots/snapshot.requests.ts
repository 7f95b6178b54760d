import { type RequestTypeDefinitions, remove } from "../declarations/request-type.js";

export const snapshotRequestTypes = {
  deprovision_snapshot_request: {
    ...remove,
    title: "Deprovision snapshot",
    removesRecord: "snapshot",
    stages: ["destroy"],
    removes: ["snapshot"],
  },
} as const satisfies RequestTypeDefinitions;
