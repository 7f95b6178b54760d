import { aws, createTestAccount, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf, requestIamRole, requestNetwork } from "@gantry/test/support/work";
import { awsOpener } from "../aws/clients.js";
import { role } from "../aws/iam/role.js";

const context = awsTestContext();

const inventory = (...kinds: ("vpc" | "subnet" | "role" | "policy" | "instance_profile")[]) =>
  aws.inventory(context.customer.awsAccount, { kinds });

it("does not change a foreign role with the same name, and reports why it failed", async () => {
  const { requestId } = await requestIamRole(context.db, context.customer, { userManagedPolicy: true });
  const name = `role-${context.customer.accountId.slice(0, 8)}`;
  const trustPolicy = { Version: "2012-10-17", Statement: [] };
  const foreignAws = awsOpener(10)(REGION, context.customer.awsAccount);
  await role.create(foreignAws, { token: "foreign", tags: {}, params: { name, path: "/", trustPolicy } });
  const request = await context.outcome(requestId);
  expect(request).toMatchObject({
    successful: false,
    message:
      "An object with this name already exists in the AWS account and does not belong to this record; remove it or choose another name",
    leakedResources: [],
  });
  const { role: roles, policy, instance_profile } = await inventory("role", "policy", "instance_profile");
  expect([roles.map(({ id }) => id), policy, instance_profile]).toEqual([[name], [], []]);
});

it("refuses to work with another account's provider", async () => {
  const other = await createTestAccount(context.db, context.env, context.customer.awsAccount);
  await expect(
    context.engine.connect({ providerId: other.provider.id, region: REGION }, context.customer.accountId),
  ).rejects.toThrow("The provider does not belong to this account");
});

it("does not cancel a provider that has resources when the Request runs", async () => {
  const resource = { type: "provider", id: context.customer.provider.id } as const;
  const { requestId } = await requestNetwork(context.db, context.customer, { skipSubnets: true });
  await context.outcome(requestId);
  const request = await context.outcome(
    await createRequestOf(context.db, context.customer, "cancel_provider", resource, {}),
  );
  expect(request.message).toBe("The provider has resources; remove them first");
  const provider = await context.db.provider.findUniqueOrThrow({ where: { id: context.customer.provider.id } });
  expect([provider.cancelledAt, provider.credentials === null]).toEqual([null, false]);
});
