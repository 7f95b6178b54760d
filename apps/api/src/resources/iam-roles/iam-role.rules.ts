import { partitionOf, partitionOfArn } from "@gantry/aws-facts";
import { type IamRole, Prisma, type Provider, type Tx } from "@gantry/db";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireOwnAwsAccount } from "../providers/shared-provider.rules.js";
import { READS_EVERY_PARAMETER } from "./iam-role.policies.js";

/**
 * Requires that the provider can have the role now.
 *
 * @param except the role itself, if it is provisioned again
 * @throws 409 if the provider cannot be used or has a role of the name, which IAM compares without case, 422 if it is shared, or its partition or its boundary
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
  // The lock prevents two calls from choosing names that differ only in case.
  await db.$queryRaw(Prisma.sql`SELECT id FROM providers WHERE id = ${provider.id} FOR NO KEY UPDATE`);
  const [other] = await db.$queryRaw<{ id: string; name: string }[]>(Prisma.sql`
    SELECT id, name FROM iam_roles
    WHERE provider_id = ${provider.id} AND lower(name) = lower(${name}) AND deleted_at IS NULL
      ${except ? Prisma.sql`AND id <> ${except}::uuid` : Prisma.empty} LIMIT 1`);
  if (other)
    throw conflict(`the provider already has a role with this name: ${other.name}, ${other.id}`, {
      path: "iam_role.name",
      blocking: [`iam_roles/${other.id}`],
    });
}
