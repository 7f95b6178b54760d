import type { IamRole } from "@gantry/db";
import { instanceProfile } from "../../aws/iam/instance-profile.js";
import { policy } from "../../aws/iam/policy.js";
import { describeRole, role } from "../../aws/iam/role.js";
import { awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "../providers/home-region.js";

/** Creates a role with its policy and, if the record asks for it, its instance profile. */
export const provisionIamRole = awsWorkflow({
  type: "provision_iam_role",
  stages: {
    create: async ({ resourceId, db, cloud }) => {
      const row = await db.iamRole.findUniqueOrThrow({ where: { id: resourceId }, include: { provider: true } });
      const { name, path } = row;
      const { permissionsBoundary } = row.provider;
      const scope = cloud({ providerId: row.providerId, region: await homeRegionOf(db, row.providerId) });

      const ownPolicy = wantsOwnPolicy(row) && (await scope.ensure(policy, { name, path, document: row.policy }));
      const policyArn = ownPolicy || row.policyArn;
      const inlinePolicy = row.policy && !policyArn ? { name, document: row.policy as object } : undefined;
      const roleName = await scope.ensure(role, {
        name,
        path,
        trustPolicy: row.assumeRolePolicyDocument as object,
        ...(permissionsBoundary && { permissionsBoundary }),
        ...(policyArn ? { policyArn } : {}),
        ...(inlinePolicy ? { inlinePolicy } : {}),
      });
      if (row.instanceProfile) await scope.ensure(instanceProfile, { name, path, roleName });

      const { arn, id } = await scope.call(describeRole(roleName));
      await db.iamRole.update({ where: { id: row.id }, data: { arn, provisionedId: id, policyArn } });
    },
  },
  discard: async ({ resourceId, db }) => {
    await db.iamRole.update({ where: { id: resourceId }, data: { deletedAt: new Date() } });
  },
});

function wantsOwnPolicy(row: IamRole): row is IamRole & { policy: object } {
  return row.userManagedPolicy && row.policy !== null;
}
