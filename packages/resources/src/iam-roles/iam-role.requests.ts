import { z } from "zod";
import { change, deprovision, provision, type RequestTypeDefinitions } from "../declarations/request-type.js";
import { trustDocument } from "./iam-role.trust.js";

/** The values of a role that a change concerns. The columns of its policy change together. */
const values = z.object({
  assumeRolePolicyDocument: trustDocument.exactOptional(),
  policies: z
    .object({
      policy: z.record(z.string(), z.json()).nullable(),
      policyArn: z.string().nullable(),
      userManagedPolicy: z.boolean(),
    })
    .exactOptional(),
});

export const iamRoleRequestTypes = {
  provision_iam_role: {
    ...provision,
    title: "Provision IAM role",
    cancelledByRemoval: true,
    stages: ["create"],
    creates: ["policy", "role", "instance_profile"],
  },
  modify_iam_role: {
    ...change,
    title: "Modify IAM role",
    // A failed or cancelled one gives the role its former policies.
    onFailure: "compensate",
    input: z.object({ from: values, to: values }),
    stages: ["modify"],
  },
  deprovision_iam_role: {
    ...deprovision,
    title: "Deprovision IAM role",
    removesRecord: "iam_role",
    stages: ["destroy"],
    removes: ["instance_profile", "role", "policy"],
  },
} as const satisfies RequestTypeDefinitions;
