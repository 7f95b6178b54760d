import { deepEqual, notEqual } from "node:assert/strict";
import {
  GetRoleCommand,
  GetRolePolicyCommand,
  ListAttachedRolePoliciesCommand,
  ListRolePoliciesCommand,
} from "@aws-sdk/client-iam";
import { EC2_TRUST, type InputOf, type TrustDocument } from "@gantry/resources";
import type { Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf, requestIamRole } from "@gantry/test/support/work";
import type { Aws } from "../../aws/clients.js";

type Policies = NonNullable<InputOf<"modify_iam_role">["to"]["policies"]>;

/** The policies of a role without a policy of its own. */
export const READS = {
  policy: null,
  policyArn: "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess",
  userManagedPolicy: false,
};
export const OTHER_TRUST: TrustDocument = {
  Version: EC2_TRUST.Version,
  Statement: EC2_TRUST.Statement.map((statement) => ({ Sid: "Servers", ...statement })),
};

/** What AWS shows of a role: the attached policies, those that are part of it, and who may use it. */
export async function policiesInAws({ iam }: Pick<Aws, "iam">, RoleName: string) {
  const document = (text = "{}") => JSON.parse(decodeURIComponent(text));
  const [{ AttachedPolicies = [] }, { PolicyNames = [] }, { Role }] = await Promise.all([
    iam.send(new ListAttachedRolePoliciesCommand({ RoleName })),
    iam.send(new ListRolePoliciesCommand({ RoleName })),
    iam.send(new GetRoleCommand({ RoleName })),
  ]);
  const inline = PolicyNames.map(async (PolicyName) => {
    const { PolicyDocument } = await iam.send(new GetRolePolicyCommand({ RoleName, PolicyName }));
    return [PolicyName, document(PolicyDocument)] as const;
  });
  return {
    attached: AttachedPolicies.map(({ PolicyArn }) => PolicyArn),
    inline: Object.fromEntries(await Promise.all(inline)),
    trust: document(Role?.AssumeRolePolicyDocument),
  };
}

export const iamRoleScenarios = {
  provision_iam_role: {
    createRequest: async ({ db, customer }) =>
      (await requestIamRole(db, customer, { userManagedPolicy: true })).requestId,
    afterSuccess: { role: 1, policy: 1, instance_profile: 1 },
    afterFailure: {},
  },
  modify_iam_role: {
    createRequest: async ({ db, customer, finishRequests }) => {
      const { id } = await requestIamRole(db, customer, { userManagedPolicy: true });
      await finishRequests();
      const { policy, policyArn, userManagedPolicy } = await db.iamRole.findUniqueOrThrow({ where: { id } });
      const former = { policy: policy as Policies["policy"], policyArn, userManagedPolicy };
      const input = {
        from: { assumeRolePolicyDocument: EC2_TRUST, policies: former },
        to: { assumeRolePolicyDocument: OTHER_TRUST, policies: READS },
      };
      return createRequestOf(db, customer, "modify_iam_role", { type: "iam_role", id }, input);
    },
    afterSuccess: { role: 1, policy: 1, instance_profile: 1 },
    afterFailure: { role: 1, policy: 1, instance_profile: 1 },
    verify: async ({ db, aws }, { resourceId }) => {
      const role = await db.iamRole.findUniqueOrThrow({ where: { id: resourceId } });
      const { policy, policyArn, userManagedPolicy } = role;
      deepEqual({ policy, policyArn, userManagedPolicy }, READS);
      deepEqual(await policiesInAws(aws, role.name), { attached: [READS.policyArn], inline: {}, trust: OTHER_TRUST });
      deepEqual(role.assumeRolePolicyDocument, OTHER_TRUST);
    },
  },
  deprovision_iam_role: {
    createRequest: async ({ db, customer, finishRequests }) => {
      const { id } = await requestIamRole(db, customer);
      await finishRequests();
      return createRequestOf(db, customer, "deprovision_iam_role", { type: "iam_role", id }, {});
    },
    afterSuccess: {},
    verify: async ({ db }, { resourceId }) => {
      notEqual((await db.iamRole.findUniqueOrThrow({ where: { id: resourceId } })).deletedAt, null);
    },
  },
} satisfies Scenarios;
