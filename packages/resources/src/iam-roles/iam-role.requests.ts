import { deprovision, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";

export const iamRoleRequestTypes = {
  provision_iam_role: {
    ...provision,
    title: "Provision IAM role",
    cancelledByRemoval: true,
    stages: ["create"],
    creates: ["policy", "role", "instance_profile"],
  },
  deprovision_iam_role: {
    ...deprovision,
    title: "Deprovision IAM role",
    removesRecord: "iam_role",
    stages: ["destroy"],
    removes: ["instance_profile", "role", "policy"],
  },
} as const satisfies RequestTypeDefinitions;
