import { readFile } from "node:fs/promises";
import { AttachRolePolicyCommand, CreatePolicyCommand, GetRoleCommand } from "@aws-sdk/client-iam";
import { IAM_POLICIES } from "@gantry/aws-facts";
import type { InputOf } from "@gantry/resources";
import { aws, REGION } from "@gantry/test/support/account";
import { awsTestContext } from "@gantry/test/support/aws-test-context";
import { createRequestOf, requestIamRole } from "@gantry/test/support/work";
import { awsOpener } from "../../aws/clients.js";
import { policiesInAws, READS } from "./iam-roles.scenarios.js";

type Policies = NonNullable<InputOf<"modify_iam_role">["to"]["policies"]>;

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

describe("a change in place", () => {
  const inline = { policy: { ...IAM_POLICIES.KubeyPolicy } as object as Policies["policy"], policyArn: null };
  const KUBEY: Policies = { ...inline, userManagedPolicy: false };

  /** A role with these policies. */
  async function roleWith(policies: Policies): Promise<{ id: string; name: string }> {
    const { id, requestId } = await requestIamRole(context.db, context.customer);
    expect(await context.outcome(requestId)).toMatchObject({ successful: true, message: null });
    const { name, policy } = await context.db.iamRole.findUniqueOrThrow({ where: { id } });
    const former = { policy: policy as Policies["policy"], policyArn: null, userManagedPolicy: false };
    expect(await modify(id, former, policies)).toMatchObject({ successful: true, message: null });
    return { id, name };
  }

  const create = (id: string, from: Policies, to: Policies) => {
    const input = { from: { policies: from }, to: { policies: to } };
    return createRequestOf(context.db, context.customer, "modify_iam_role", { type: "iam_role", id }, input);
  };
  const modify = async (id: string, from: Policies, to: Policies) => context.outcome(await create(id, from, to));

  /** What the record and AWS have. */
  async function stateOf({ id, name }: { id: string; name: string }) {
    const { policy, policyArn } = await context.db.iamRole.findUniqueOrThrow({ where: { id } });
    const { attached, inline } = await policiesInAws(awsOpener(10)(REGION, context.customer.awsAccount), name);
    return { policy, policyArn, attached, inline };
  }

  const refuse = (operation: string, times = 1) => {
    const { accessKeyId } = context.customer.awsAccount;
    return aws.refuse(operation, { code: "AccessDenied", times, accessKeyId, status: 403 });
  };

  it("gives the new policy before it takes the former one, and sends nothing else", async () => {
    const role = await roleWith(KUBEY);
    const { accountId } = context.customer.awsAccount;
    const before = (await aws.calls({ accountId })).length;
    expect(await modify(role.id, KUBEY, READS)).toMatchObject({ successful: true, message: null });
    const calls = (await aws.calls({ accountId })).slice(before).map(({ action }) => action);
    expect(calls.filter((action) => !/^(Get|List|Assume)/.test(action))).toEqual([
      "AttachRolePolicy",
      "DeleteRolePolicy",
    ]);
    expect(await stateOf(role)).toMatchObject({ policy: null, attached: [READS.policyArn], inline: {} });
  });

  it("gives the former policy again if AWS refuses to take it", async () => {
    const role = await roleWith(READS);
    await refuse("DetachRolePolicy");
    expect(await modify(role.id, READS, KUBEY)).toMatchObject({ successful: false });
    expect(await stateOf(role)).toEqual({
      ...READS,
      userManagedPolicy: undefined,
      attached: [READS.policyArn],
      inline: {},
    });
    expect(await modify(role.id, READS, KUBEY)).toMatchObject({ successful: true });
    expect(await stateOf(role)).toMatchObject({ policyArn: null, attached: [], inline: { [role.name]: KUBEY.policy } });
  });

  it("names a policy that AWS lets it neither keep nor detach, and only the next change detaches it", async () => {
    const role = await roleWith(KUBEY);
    const other = { ...READS, policyArn: "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess" };
    await modify(role.id, KUBEY, READS);
    await refuse("DetachRolePolicy", 2);
    const id = await create(role.id, READS, other);
    expect(await context.outcome(id)).toMatchObject({ successful: false });
    expect(await stateOf(role)).toMatchObject({
      policyArn: READS.policyArn,
      attached: [READS.policyArn, other.policyArn],
    });
    const messages = await context.db.requestMessage.findMany({ where: { requestId: id } });
    expect(messages.map(({ message }) => message)).toContainEqual(
      expect.stringContaining(`may still have the policy ${other.policyArn}`),
    );
    expect(await modify(role.id, READS, KUBEY)).toMatchObject({ successful: true });
    expect(await stateOf(role)).toMatchObject({ attached: [], inline: { [role.name]: KUBEY.policy } });
    const { iam } = awsOpener(10)(REGION, context.customer.awsAccount);
    await iam.send(new AttachRolePolicyCommand({ RoleName: role.name, PolicyArn: other.policyArn }));
    expect(await modify(role.id, KUBEY, READS)).toMatchObject({ successful: true });
    expect(await stateOf(role)).toMatchObject({ attached: expect.arrayContaining([READS.policyArn, other.policyArn]) });
  });

  it("gives no policy to a role from before the provider's boundary", async () => {
    const role = await roleWith(KUBEY);
    const where = { id: context.customer.provider.id };
    await context.db.provider.update({ where, data: { permissionsBoundary: "arn:aws:iam::1:policy/gantry-boundary" } });
    expect(await modify(role.id, KUBEY, READS)).toMatchObject({
      successful: false,
      message: expect.stringContaining("lacks it; create another role"),
    });
    expect(await stateOf(role)).toMatchObject({ policyArn: null, attached: [], inline: { [role.name]: KUBEY.policy } });
  });
});
