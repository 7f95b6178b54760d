import { Prisma } from "@gantry/db";
import type { InputOf } from "@gantry/resources";
import { isOnlyRefusal } from "../../aws/aws-errors.js";
import {
  attachPolicy,
  boundaryOf,
  deleteInlinePolicy,
  detachPolicy,
  putInlinePolicy,
  setTrust,
} from "../../aws/iam/role-changes.js";
import { addMessage } from "../../engine/request-message.js";
import { permanent } from "../../engine/stage-errors.js";
import { type AwsStageContext, awsWorkflow } from "../aws-workflow.js";
import { homeRegionOf } from "../providers/home-region.js";

type Values = InputOf<"modify_iam_role">["to"];
type Policies = NonNullable<Values["policies"]>;

/**
 * Gives a role another trust policy or another policy: first the new one, then the record, then it detaches the former
 * one, so that the role has all permissions of both meanwhile. A failure or a cancel gives it the former ones in the same order.
 */
export const modifyIamRole = awsWorkflow({
  type: "modify_iam_role",
  stages: {
    modify: async (context) => {
      const { input } = context;
      const role = await findRole(context);
      const boundary = await role.scope.call(boundaryOf(role.name));
      if (boundary === undefined) throw permanent(`The role ${role.name} does not exist in AWS`);
      if (input.to.policies && role.wantsBoundary && boundary === null)
        throw permanent(
          `The role ${role.name} is older than the provider's boundary and lacks it; create another role`,
        );
      await replace(context, role, input.to, [input.from, ...(await failedChanges(context))]);
    },
  },

  undo: async (context) => {
    const { from, to } = context.input;
    const role = await findRole(context);
    if ((await role.scope.call(boundaryOf(role.name))) === undefined) return;
    await replace(context, role, from, [to]).catch(async (error) => {
      const kept = arnsOf(to.policies).filter((arn) => !arnsOf(from.policies).includes(arn));
      if (isOnlyRefusal(error) && kept.length > 0)
        await addMessage(
          context,
          `The role ${role.name} may still have the policy ${kept}; its next change detaches it`,
        );
      throw error;
    });
  },

  // The record stays; it has what AWS accepted last.
  discard: async () => {},
});

type Context = Pick<AwsStageContext, "db" | "resourceId" | "cloud">;

async function findRole({ db, resourceId, cloud }: Context) {
  const { name, providerId, provider } = await db.iamRole.findUniqueOrThrow({
    where: { id: resourceId },
    include: { provider: true },
  });
  const scope = cloud({ providerId, region: await homeRegionOf(db, providerId) });
  return { name, scope, wantsBoundary: provider.permissionsBoundary !== null };
}

/** Gives the role these values, records them, and detaches its former policies. */
async function replace(
  { db, resourceId }: Context,
  { name, scope }: Awaited<ReturnType<typeof findRole>>,
  { assumeRolePolicyDocument, policies }: Values,
  former: readonly Values[],
): Promise<void> {
  const inline = inlineOf(policies);
  if (assumeRolePolicyDocument) await scope.call(setTrust(name, assumeRolePolicyDocument));
  if (inline) await scope.call(putInlinePolicy(name, inline));
  for (const arn of arnsOf(policies)) await scope.call(attachPolicy(name, arn));
  const data = {
    ...(assumeRolePolicyDocument && { assumeRolePolicyDocument: assumeRolePolicyDocument as object }),
    ...(policies && { ...policies, policy: policies.policy ?? Prisma.DbNull }),
  };
  await db.iamRole.update({ where: { id: resourceId }, data });
  if (!policies) return;
  const arns = former.flatMap((each) => arnsOf(each.policies)).filter((arn) => !arnsOf(policies).includes(arn));
  for (const arn of new Set(arns)) await scope.call(detachPolicy(name, arn));
  if (!inline && former.some((each) => inlineOf(each.policies))) await scope.call(deleteInlinePolicy(name));
}

/** The policy that is part of the role. */
function inlineOf(policies: Policies | undefined): NonNullable<Policies["policy"]> | undefined {
  return (!policies?.userManagedPolicy && policies?.policy) || undefined;
}

function arnsOf(policies: Policies | undefined): string[] {
  return policies?.policyArn ? [policies.policyArn] : [];
}

/** What changes since the last successful one may have left: those whose failures AWS did not let them undo. */
async function failedChanges({ db, resourceId }: Context): Promise<Values[]> {
  const changes = { type: "modify_iam_role", resourceType: "iam_role", resourceId };
  const last = await db.request.findFirst({
    where: { ...changes, successful: true },
    orderBy: { createdAt: "desc" },
    select: { createdAt: true },
  });
  const failed = await db.request.findMany({
    where: { ...changes, successful: false, ...(last && { createdAt: { gt: last.createdAt } }) },
  });
  return failed.map(({ input }) => (input as InputOf<"modify_iam_role">).to);
}
