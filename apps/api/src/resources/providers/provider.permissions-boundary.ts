import { field } from "@gantry/resources";
import { z } from "zod";

// A policy of the AWS account, or one of AWS's own.
const POLICY_ARN = /^arn:aws[\w-]*:iam::(\d{12}|aws):policy\/[\w+=,.@/-]{1,512}$/;

/** The policy that bounds the roles that Gantry creates in the provider's AWS account. */
export const permissionsBoundaryInput = field(
  z.string().regex(POLICY_ARN, "must be the ARN of an IAM policy"),
  "arn:aws:iam::123456789012:policy/boundary",
);
