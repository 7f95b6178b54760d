import { BOUNDARY_NAME } from "@gantry/aws-facts";
import { BOUNDARY } from "./boundary.js";
import { cloudFormationTemplate } from "./cloudformation.js";
import { assertSize, providerPolicies } from "./policies.js";
import { terraformFile } from "./terraform.js";

/** The name of a provider's role in the templates and in the worker's policy. */
export const ROLE_NAME = "gantry";

/** The policy of the worker's own AWS identity. */
const WORKER_POLICY = {
  Version: "2012-10-17",
  Statement: [
    {
      Sid: "AssumeProviders",
      Effect: "Allow",
      Action: ["sts:AssumeRole"],
      Resource: [`arn:aws:iam::*:role/${ROLE_NAME}`],
    },
  ],
};

/** The files for operators by name, written from the operations that the worker calls. */
export function policyFiles(operations: readonly string[]): Record<string, string> {
  const policies = { ...providerPolicies(operations), [BOUNDARY_NAME]: BOUNDARY };
  assertSize(BOUNDARY_NAME, BOUNDARY);
  const documents = Object.entries({ ...policies, "gantry-worker": WORKER_POLICY });
  return {
    ...Object.fromEntries(documents.map(([name, document]) => [`${name}.json`, toJson(document)])),
    "gantry-role.cloudformation.json": toJson(cloudFormationTemplate(policies, ROLE_NAME)),
    "gantry-role.tf": terraformFile(policies, ROLE_NAME),
  };
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
