import { partitionOf, partitionOfArn } from "@gantry/aws-facts";
import { type IamRole, Prisma, type Provider, type Tx } from "@gantry/db";
import { z } from "zod";
import { conflict, invalid } from "../../http/errors/errors.js";
import { requireUsable } from "../providers/provider.rules.js";
import { requireOwnAwsAccount } from "../providers/shared-provider.rules.js";
import { ALLOWED_POLICY_ARNS, READS_EVERY_PARAMETER } from "./iam-role.policies.js";

/** A policy of Gantry's, by its name. */
export const policyName = z.enum(["EFSBackupPolicy", "KubeyPolicy"]);

/** A policy of AWS's that a role may have. */
export const policyArn = z.string().refine((arn) => ALLOWED_POLICY_ARNS.has(arn), "is not an allowed policy");

/**
 * Requires that a role of the provider can have the policy now, null for none.
 *
 * @throws 409 if the provider cannot be used, 422 if it is shared, or its partition or its boundary forbids the policy
 */
export function requireAllowedPolicy(provider: Provider, policyArn: string | null): void {
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
}

/**
 * Requires that the provider can have the role now.
 *
 * @param except the role itself, if it is provisioned again
 * @throws as `requireAllowedPolicy`, and 409 if the provider has a role of the name, which IAM compares without case
 */
export async function requireAllowedRole(
  db: Tx,
  provider: Provider,
  { name, policyArn }: Pick<IamRole, "name" | "policyArn">,
  except?: string,
): Promise<void> {
  requireAllowedPolicy(provider, policyArn);
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
