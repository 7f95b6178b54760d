import { notEqual } from "node:assert/strict";
import type { Scenarios } from "@gantry/test/support/scenario";
import { createRequestOf, requestIamRole } from "@gantry/test/support/work";

export const iamRoleScenarios = {
  provision_iam_role: {
    createRequest: async ({ db, customer }) =>
      (await requestIamRole(db, customer, { userManagedPolicy: true })).requestId,
    afterSuccess: { role: 1, policy: 1, instance_profile: 1 },
    afterFailure: {},
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
