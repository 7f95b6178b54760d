import { partitionOf, partitionOfArn } from "@gantry/aws-facts";
import type { IamRole, Provider, Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireOwnAwsAccount } from "../providers/shared-provider.rules.js";
import { READS_EVERY_PARAMETER } from "./iam-role.policies.js";

/**
 * Requires that the provider can have the role now.
 *
 * @param except the role itself, if it is provisioned again
 * @throws 409 if the provider cannot be used or has a role of the name, 422 if it is shared, or its partition or its boundary
 * forbids the policy
 */
export async function requireAllowedRole(
  db: Tx,
  provider: Provider,
  { name, policyArn }: Pick<IamRole, "name" | "policyArn">,
  except?: string,
): Promise<void> {
  requireUsable(provider);
  requireOwnAwsAccount(provider, { what: "an IAM role" }, "provider");
  const partition = partitionOf(provider.homeRegion ?? "us-east-1");
  if (policyArn && partitionOfArn(policyArn) !== partition)
    throw invalid("iam_role.policy_arn", `must start with arn:${partition}:, the provider's partition`);
  if (policyArn && READS_EVERY_PARAMETER.test(policyArn) && !provider.permissionsBoundary)
    throw invalid(
      "iam_role.policy_arn",
      "would let a server read every parameter of the AWS account; set the provider's permissions_boundary first",
    );
  const other = await db.iamRole.findFirst({
    where: { providerId: provider.id, name, deletedAt: null, ...(except && { id: { not: except } }) },
    select: { id: true },
  });
  if (other)
    throw conflict(`the provider already has a role with this name: ${other.id}`, {
      path: "iam_role.name",
      blocking: [`iam_roles/${other.id}`],
    });
}
