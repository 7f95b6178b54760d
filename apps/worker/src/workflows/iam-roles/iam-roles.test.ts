import { readFile } from "node:fs/promises";
import { CreatePolicyCommand, GetRoleCommand } from "@aws-sdk/client-iam";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf, requestIamRole } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";

const BOUNDARY = new URL("../../../../../docs/aws/gantry-boundary.json", import.meta.url);

const context = awsTestContext();

/** Provisions a role and returns its boundary in AWS. */
async function provisionedBoundary(): Promise<string | undefined> {
  const { id, requestId } = await requestIamRole(context.db, context.customer);
  expect(await context.outcome(requestId)).toMatchObject({ successful: true, message: null });
  const { name: RoleName } = await context.db.iamRole.findUniqueOrThrow({ where: { id } });
  const { Role } = await awsOpener(10)(REGION, context.customer.awsAccount).iam.send(new GetRoleCommand({ RoleName }));
  return Role?.PermissionsBoundary?.PermissionsBoundaryArn;
}

it("creates roles with the provider's permissions boundary", async () => {
  const { iam } = awsOpener(10)(REGION, context.customer.awsAccount);
  const PolicyDocument = await readFile(BOUNDARY, "utf8");
  const { Policy } = await iam.send(new CreatePolicyCommand({ PolicyName: "gantry-boundary", PolicyDocument }));
  const where = { id: context.customer.provider.id };
  await context.db.provider.update({ where, data: { permissionsBoundary: Policy?.Arn ?? "" } });
  expect(await provisionedBoundary()).toBe(
    `arn:aws:iam::${context.customer.awsAccount.accountId}:policy/gantry-boundary`,
  );
});

it("creates roles without a boundary if the provider has none", async () => {
  expect(await provisionedBoundary()).toBeUndefined();
});

it("shows that a removal of a role began if it failed half-way, and another removal continues it", async () => {
  const { id, requestId } = await requestIamRole(context.db, context.customer);
  expect(await context.outcome(requestId)).toMatchObject({ successful: true });
  const remove = async () =>
    context.outcome(
      await createRequestOf(context.db, context.customer, "deprovision_iam_role", { type: "iam_role", id }, {}),
    );
  const { accessKeyId } = context.customer.awsAccount;
  await aws.refuse("DeleteRole", { code: "AccessDenied", times: 1, accessKeyId, status: 403 });
  expect(await remove()).toMatchObject({ successful: false });
  expect(await context.db.iamRole.findUnique({ where: { id } })).toMatchObject({
    removalStartedAt: expect.any(Date),
    deletedAt: null,
  });
  expect(await remove()).toMatchObject({ successful: true });
});
