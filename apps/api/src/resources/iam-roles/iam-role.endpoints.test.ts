import { countRows, createCaller, createEnvironment, createServer } from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner, provider } = await startApiTest();

const send = (role?: object) => owner.post("/iam_roles", { provider: provider.id, ...(role && { iam_role: role }) });

it("accepts a role for servers by default", async () => {
  const { status, body } = await send();
  expect([status, body.request.type]).toEqual([200, "provision_iam_role"]);
  const { iam_role: role } = (await owner.get(resourcePath(body))).body;
  expect(role).toMatchObject({
    path: "/",
    instance_profile: true,
    user_managed_policy: false,
    policy: null,
    policy_arn: null,
  });
  expect(role.name).toMatch(/^gantry-[0-9a-f]{8}$/);
  expect(role.assume_role_policy_document.Statement[0].Principal).toEqual({ Service: ["ec2.amazonaws.com"] });
});

it("shows the document of a named policy", async () => {
  const { body } = await send({ name: "backup", policy: "EFSBackupPolicy", user_managed_policy: true, path: "/a/" });
  const { iam_role: role } = (await owner.get(resourcePath(body))).body;
  expect(role.policy.Statement[0]).toMatchObject({ Effect: "Allow", Action: expect.any(Array) });
  expect((await send({ name: "backup" })).body.errors).toEqual([
    `the provider already has a role with this name: backup, ${role.id}`,
  ]);
});

it("compares names without case, as IAM does, also those of concurrent calls", async () => {
  const names = ["deploy", "DEPLOY", "Deploy", "dEPLOY"];
  const answers = await Promise.all(names.map((name) => send({ name })));
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409]);
  const living = await db.iamRole.findMany({
    where: { providerId: provider.id, name: { equals: "deploy", mode: "insensitive" }, deletedAt: null },
  });
  const [{ id, name } = { id: "", name: "" }] = living;
  expect(living).toHaveLength(1);
  const { status, body } = await send({ name: "DePloy" });
  expect([status, body.errors]).toEqual([409, [`the provider already has a role with this name: ${name}, ${id}`]]);
  expect(body.blocking).toEqual([expect.stringMatching(`iam_roles/${id}$`)]);
});

const trust = (statement: object) => ({
  assume_role_policy_document: {
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Action: "sts:AssumeRole", ...statement }],
  },
});

it.each([
  ["an administrator's policy", { policy_arn: "arn:aws:iam::aws:policy/AdministratorAccess" }],
  ["a policy of an account", { policy_arn: "arn:aws:iam::123456789012:policy/Mine" }],
  ["a policy by another name", { policy: "PowerUser" }],
  ["both kinds of policy", { policy: "KubeyPolicy", policy_arn: "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess" }],
  ["a user-managed policy without a policy", { user_managed_policy: true }],
  ["trust in an account", trust({ Principal: { AWS: "arn:aws:iam::123456789012:root" } })],
  ["trust in everyone", trust({ Principal: "*" })],
  ["trust in another service", trust({ Principal: { Service: ["lambda.amazonaws.com"] } })],
  ["a name that IAM refuses", { name: "a b" }],
  ["a path without an end", { path: "/a" }],
  ["a path that leaves its own", { path: "/a/../b/" }],
  ["a path of AWS's own roles", { path: "/aws-service-role/" }],
  ["the name of an organization's role", { name: "OrganizationAccountAccessRole" }],
  ["the name of a service-linked role", { name: "AWSServiceRoleForRDS" }],
  [
    "a policy that reads every parameter, without a boundary",
    { policy_arn: "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore" },
  ],
  ["an unknown key", { tags: [] }],
])("refuses %s and writes nothing", async (_name, role) => {
  const before = await countRows(db);
  expect((await send(role)).status).toBe(422);
  expect(await countRows(db)).toEqual(before);
});

it("lets only administrators set a boundary, and only bounded roles read every parameter", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const boundary = "arn:aws:iam::123456789012:policy/boundary";
  const change = { provider: { permissions_boundary: boundary } };
  expect((await member.put(`/providers/${provider.id}`, change)).status).toBe(403);
  expect((await owner.put(`/providers/${provider.id}`, change)).status).toBe(200);
  expect((await send({ policy_arn: "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore" })).status).toBe(200);
  const wrong = await owner.put(`/providers/${provider.id}`, { provider: { permissions_boundary: "boundary" } });
  expect(wrong.body.details).toEqual([expect.objectContaining({ path: "provider.permissions_boundary" })]);
});

it("accepts trust in servers without a list", async () => {
  expect((await send(trust({ Principal: { Service: "ec2.amazonaws.com" } }))).status).toBe(200);
});

it("removes a role once", async () => {
  const { body } = await send();
  const path = resourcePath(body);
  expect((await owner.delete(path)).body.request).toMatchObject({ type: "deprovision_iam_role", resource: false });
  expect((await owner.delete(path)).status).toBe(409);
});

describe("a change in place", () => {
  const S3 = "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess";
  const SQS = "arn:aws:iam::aws:policy/AmazonSQSReadOnlyAccess";
  const newRole = async (role: object, provisionedId: string | null = "AROA1") => {
    const { id } = (await owner.get(resourcePath((await send(role)).body))).body.iam_role;
    await db.request.updateMany({ where: { resourceId: id }, data: { finishedAt: new Date(), successful: true } });
    return db.iamRole.update({ where: { id }, data: { provisionedId } });
  };
  const modify = (id: string, role: object, { by = owner, query = "" } = {}) =>
    by.post(`/iam_roles/${id}/modify${query}`, { iam_role: role });

  it("names what uses the role in a dry run, and changes nothing", async () => {
    const { id } = await newRole({ policy: "KubeyPolicy" });
    const environment = await createEnvironment(db, provider);
    const server = await createServer(db, environment);
    await db.server.update({ where: { id: server.id }, data: { iamRoleId: id } });
    const { status, body } = await modify(id, { policy_arn: S3 }, { query: "?dry_run=true" });
    const users = expect.stringMatching(`^Used by server ${server.id}; environment ${environment.id}\\. The role gets`);
    const change = { effect: users, away_seconds: null, undo: expect.stringContaining("back") };
    expect([status, body.plan.changes]).toEqual([
      200,
      [
        { ...change, field: "policy", from: "KubeyPolicy", to: null },
        { ...change, field: "policy_arn", from: null, to: S3 },
      ],
    ]);
    expect(await db.request.count({ where: { type: "modify_iam_role" } })).toBe(0);
  });

  it("asks only for what changes, with the values that a failure sets again", async () => {
    const { id } = await newRole({ policy_arn: S3 });
    const { body } = await modify(id, { policy_arn: SQS, ...trust({ Principal: { Service: "ec2.amazonaws.com" } }) });
    const { input } = await db.request.findUniqueOrThrow({ where: { id: body.request.id } });
    const policies = { policy: null, userManagedPolicy: false };
    expect(input).toEqual({
      from: { policies: { ...policies, policyArn: S3 } },
      to: { policies: { ...policies, policyArn: SQS } },
    });
    const second = await modify(id, { policy_arn: S3 });
    expect([second.status, second.body.blocking]).toEqual([409, [expect.stringContaining(body.request.id)]]);
    await endRequest(db, body.request.id, false);
    // Meanwhile another change gave the role another policy.
    await db.iamRole.update({ where: { id }, data: { policyArn: null } });
    const retried = await owner.post(`/requests/${body.request.id}/retry`);
    const { input: again } = await db.request.findUniqueOrThrow({ where: { id: retried.body.request.id } });
    expect(again).toMatchObject({ from: { policies: { policyArn: null } }, to: { policies: { policyArn: SQS } } });
  });

  it.each([
    ["an administrator's policy", { policy_arn: "arn:aws:iam::aws:policy/AdministratorAccess" }, "iam_role.policy_arn"],
    ["a policy of another partition", { policy_arn: S3.replace("aws", "aws-cn") }, "iam_role.policy_arn"],
    ["both kinds of policy", { policy: "EFSBackupPolicy", policy_arn: S3 }, "iam_role.policy_arn: cannot be combined"],
    ["trust in everyone", trust({ Principal: "*" }), "iam_role.assume_role_policy_document"],
    ["what it has", { policy: "KubeyPolicy", policy_arn: null }, "iam_role: names no change"],
    ["nothing", {}, "iam_role: names no change"],
  ])("refuses %s and writes nothing", async (_name, role, sentence) => {
    const { id } = await newRole({ policy: "KubeyPolicy" });
    await expectRefusal(db, () => modify(id, role), new RegExp(`^${sentence}`));
  });

  it("refuses a policy that reads every parameter without a boundary, also at a retry", async () => {
    const { id } = await newRole({});
    const boundary = (permissionsBoundary: string | null) =>
      db.provider.update({ where: { id: provider.id }, data: { permissionsBoundary } });
    const reads = { policy_arn: "arn:aws:iam::aws:policy/AmazonSSMReadOnlyAccess" };
    await boundary(null);
    expect((await modify(id, reads)).status).toBe(422);
    await boundary("arn:aws:iam::123456789012:policy/boundary");
    const { status, body } = await modify(id, reads);
    expect(status).toBe(200);
    await endRequest(db, body.request.id, false);
    await boundary(null);
    expect((await owner.post(`/requests/${body.request.id}/retry`)).status).toBe(422);
  });

  it("lets only administrators change a role, and only one that AWS has", async () => {
    const { id } = await newRole({ policy_arn: S3 });
    const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
    expect((await modify(id, { policy_arn: null }, { by: member })).status).toBe(403);
    expect((await modify(id, { policy_arn: null })).status).toBe(200);
    const planned = await newRole({ policy_arn: S3 }, null);
    expect((await modify(planned.id, { policy_arn: null })).status).toBe(409);
  });
});
