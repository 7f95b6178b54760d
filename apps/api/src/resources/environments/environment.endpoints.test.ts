import { randomUUID } from "node:crypto";
import {
  createApplication,
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  createServer,
  OTHER_REGION,
  REGION,
} from "@gantry/test/support/api";
import { expectRefusal, startApiTest, urlOf } from "@gantry/test/support/api-test";
import { until } from "@gantry/test/support/until";
import sshpk from "sshpk";

const { api, db, owner, provider } = await startApiTest();
const network = await createNetwork(db, provider);

const named = (changes: object = {}) => ({ environment: { name: `e-${randomUUID()}`, ...changes } });
const make = (body: object = named(), caller = owner) =>
  caller.post(`/accounts/${caller.accountId}/environments`, body);

it("creates an environment with the specification's defaults", async () => {
  const { status, body } = await make();
  expect([status, Object.keys(body)]).toEqual([201, ["environment"]]);
  expect(body.environment).toMatchObject({
    account: urlOf(`accounts/${owner.accountId}`),
    database_stack: "postgres9_4",
    framework_env: "production",
    language: "Ruby 2.2",
    encrypted_ebs_for_everything: false,
    database_backup_interval: 24,
    database_backup_limit: 10,
    snapshot_limit: 10,
    snapshot_retention: 90,
    deploy_method: "serverside",
    stack_name: "nginx_passenger4",
    takeover_preference: "snapshot",
    username: "deploy",
    lock_db_version: true,
    upgrade_available: false,
    service_level: "default",
    region: REGION,
    network: null,
    vpc_provisioned_id: null,
    firewall: null,
    auto_scaling_group: null,
    deleted_at: null,
  });
  const { id } = body.environment;
  expect(await db.environment.findUniqueOrThrow({ where: { id } })).toMatchObject({ providerId: provider.id });
  expect(await db.firewall.findMany({ where: { environmentId: id } })).toMatchObject([
    { name: `environment-${id}`, providerId: provider.id, region: REGION, vpcProvisionedId: null, provisionedId: null },
  ]);
});

it("creates an environment with the given attributes, in its network's location", async () => {
  const application = await createApplication(db, owner.accountId);
  const attributes = {
    application_id: application.id,
    database_stack: "postgres9_3",
    framework_env: "testing",
    language: "Ruby 2.1.5",
    encrypted_ebs_for_everything: true,
  };
  const { body } = await make({ ...named(attributes), network: network.id });
  const { application_id, ...shown } = attributes;
  const { id } = body.environment;
  expect(body.environment).toMatchObject({
    ...shown,
    network: urlOf(`networks/${network.id}`),
    vpc_provisioned_id: "vpc-1",
    region: REGION,
  });
  expect(await db.environment.findUniqueOrThrow({ where: { id } })).toMatchObject({ applicationId: application_id });
  expect(await db.firewall.findFirstOrThrow({ where: { environmentId: id } })).toMatchObject({
    vpcProvisionedId: "vpc-1",
  });
  const listed = (await owner.get(`/applications/${application.id}/environments`)).body.environments;
  expect(listed.map((row: { id: number }) => row.id)).toEqual([id]);
});

it("creates an SSH key pair for each environment, and shows the private key only to members with secrets:read", async () => {
  const narrow = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  const [one, two] = [(await make()).body.environment, (await make(named(), narrow)).body.environment];
  const key = sshpk.parsePrivateKey(one.internal_private_key, "openssh");
  expect(key.toPublic().toString("ssh").split(" ")[1]).toBe(one.internal_public_key.split(" ")[1]);
  expect(one.internal_public_key).toMatch(/^ssh-ed25519 \S+ environment-\d+$/);
  expect(two.internal_public_key).not.toBe(one.internal_public_key);
  const path = `/environments/${one.id}`;
  const viewer = await createCaller(api, { accountId: owner.accountId, role: "viewer" });
  const [wide, masked, viewed] = [await owner.get(path), await narrow.get(path), await viewer.get(path)];
  const hidden = [two, masked.body.environment, viewed.body.environment];
  expect(hidden.map(({ internal_private_key: key }) => key)).toEqual([null, null, null]);
  expect((await owner.get("/environments?per_page=100")).text).not.toContain("PRIVATE KEY");
  expect(wide.body.environment.internal_private_key).toBe(one.internal_private_key);
  expect(wide.headers["cache-control"]).toBe("no-store");
  expect(masked.text + (await narrow.get("/environments?per_page=100")).text).not.toContain("PRIVATE KEY");
  const stored = await db.environment.findUniqueOrThrow({ where: { id: one.id } });
  expect(Buffer.from(stored.internalPrivateKey).toString("latin1")).not.toContain("PRIVATE KEY");
});

it("stores no private key with an idempotency key", async () => {
  const body = named();
  const repeat = () => make(body).set("Idempotency-Key", "environment");
  const [first, again] = [await repeat(), await repeat()];
  expect(first.body.environment.internal_private_key).toContain("PRIVATE KEY");
  expect(again.body.environment).toEqual({ ...first.body.environment, internal_private_key: null });
  const [kept] = await db.idempotencyKey.findMany({ where: { key: "environment" } });
  expect(JSON.stringify(kept?.body)).not.toContain("PRIVATE KEY");
});

it("creates an environment without a provider in an account without one", async () => {
  const newMember = await createCaller(api);
  await db.provider.create({ data: { accountId: newMember.accountId, type: "aws", externalId: "x" } });
  const { status, body } = await make(named({ region: OTHER_REGION }), newMember);
  expect([status, body.environment.region]).toEqual([201, OTHER_REGION]);
  const { id } = body.environment;
  expect((await db.environment.findUniqueOrThrow({ where: { id } })).providerId).toBeNull();
  expect(await db.firewall.count({ where: { environmentId: id } })).toBe(0);
});

it.each<readonly [string, object, string | RegExp]>([
  ["an empty name", named({ name: " " }), "environment.name: must not be empty"],
  ["a wrong region", named({ region: "mars" }), "environment.region: must be a region's id"],
  ["a region that the provider lacks", named({ region: "eu-west-2" }), /has no region eu-west-2/],
  ["a bad user", named({ username: "a b" }), /must be a valid Linux user name/],
])("refuses %s and writes nothing", async (_name, body, sentence) => {
  await expectRefusal(db, () => make(body), sentence);
});

it("refuses a network, provider or application that is not usable", async () => {
  const other = await createProvider(db, owner.accountId);
  await db.provider.update({ where: { id: other.id }, data: { cancelledAt: new Date() } });
  const unready = await createNetwork(db, provider, { provisionedId: null });
  const going = await createNetwork(db, provider);
  await owner.delete(`/networks/${going.id}`);
  const gone = await createApplication(db, owner.accountId, { deletedAt: new Date() });
  const statuses = [];
  for (const body of [
    { ...named(), provider: other.id },
    { ...named(), network: unready.id },
    { ...named(), network: going.id },
    named({ application_id: gone.id }),
    { ...named(), network: network.id, provider: other.id },
    { ...named({ region: OTHER_REGION }), network: network.id },
  ]) {
    statuses.push((await make(body)).status);
  }
  expect(statuses).toEqual([409, 409, 409, 409, 422, 422]);
});

it("refuses an application whose removal commits while it creates the environment", async () => {
  const { id } = await createApplication(db, owner.accountId);
  const { creating } = await db.$transaction(async (removal) => {
    await removal.application.update({ where: { id }, data: { deletedAt: new Date() } });
    let isAnswered = false;
    const creating = make(named({ application_id: id })).then((answer) => {
      isAnswered = true;
      return answer;
    });
    await until(async () => {
      const blocked = await db.$queryRaw<unknown[]>`
        SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      return isAnswered || blocked.length > 0;
    });
    return { creating };
  });
  const { status, body } = await creating;
  expect([status, body.errors]).toEqual([409, [`application ${id} was deleted`]]);
});

it("refuses parameters from two accounts of one caller", async () => {
  const other = await createCaller(api);
  const membership = { id: randomUUID(), accountId: other.accountId, role: "owner" } as const;
  const both = await createCaller(api, { accountId: owner.accountId });
  await db.membership.create({ data: { ...membership, userId: both.userId } });
  const far = await createProvider(db, other.accountId);
  const farNetwork = await createNetwork(db, far);
  const farApp = await createApplication(db, other.accountId);
  const answers = [
    await make({ ...named(), network: farNetwork.id }, both),
    await make({ ...named(), provider: far.id }, both),
    await make(named({ application_id: farApp.id }), both),
  ];
  expect(answers.map(({ status, body }) => [status, body.errors])).toEqual([
    [422, ["network: belongs to another account"]],
    [422, ["provider: belongs to another account"]],
    [422, ["environment.application_id: belongs to another account"]],
  ]);
});

it("refuses a provider that is being cancelled", async () => {
  const going = await createProvider(db, owner.accountId);
  expect((await owner.delete(`/providers/${going.id}`)).status).toBe(200);
  const { status, body } = await make({ ...named(), provider: going.id });
  expect([status, body.errors]).toEqual([409, [expect.stringMatching(/has an unfinished request: cancel_provider/)]]);
});

it("refuses a name that another environment of the account has, until that one is deleted", async () => {
  const { body } = await make();
  const { id, name } = body.environment;
  const refused = await make(named({ name }));
  expect([refused.status, refused.body.errors]).toEqual([
    409,
    [`the account already has an environment with this name: ${id}`],
  ]);
  const other = await createEnvironment(db, provider);
  expect((await owner.put(`/environments/${other.id}`, { environment: { name } })).status).toBe(409);
  await db.environment.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await make(named({ name }))).status).toBe(201);
});

it("changes attributes, including the encryption only if there are no servers", async () => {
  const row = await createEnvironment(db, provider);
  const path = `/environments/${row.id}`;
  const changes = { name: "renamed", database_backup_interval: 12, snapshot_limit: 3, encrypted_database_ebs: true };
  expect((await owner.put(path, { environment: changes })).body.environment).toMatchObject(changes);
  const server = await createServer(db, row);
  const flip = { environment: { encrypted_database_ebs: false } };
  expect((await owner.put(path, flip)).body.errors).toEqual([
    `server ${server.id} already has volumes, so encryption cannot be changed`,
  ]);
  expect((await owner.put(path, { environment: changes })).status).toBe(200);
  const fixed = { environment: { region: OTHER_REGION, internal_public_key: "x" } };
  expect((await owner.put(path, fixed)).body.unpermitted).toEqual([
    "environment.region",
    "environment.internal_public_key",
  ]);
  await db.server.update({ where: { id: server.id }, data: { deletedAt: new Date() } });
  expect((await owner.put(path, flip)).status).toBe(200);
  await db.environment.update({ where: { id: row.id }, data: { deletedAt: new Date() } });
  expect((await owner.put(path, flip)).status).toBe(409);
});

it("accepts one apply of an environment at a time, and none while it boots or after it is deleted", async () => {
  const { id } = (await make()).body.environment;
  const path = `/environments/${id}/apply`;
  const { status, body } = await owner.post(path);
  expect([status, body.request]).toMatchObject([
    200,
    { type: "configure_environment", resource: urlOf(`environments/${id}`) },
  ]);
  const again = await owner.post(path);
  expect([again.status, again.body.blocking]).toEqual([409, [urlOf(`requests/${body.request.id}`)]]);
  await db.request.update({ where: { id: body.request.id }, data: { type: "start_environment" } });
  expect((await owner.post(path)).status).toBe(409);
  await db.request.update({ where: { id: body.request.id }, data: { finishedAt: new Date() } });
  await db.environment.update({ where: { id }, data: { deletedAt: new Date() } });
  expect((await owner.post(path)).body.errors).toEqual([`environment ${id} was already deleted`]);
});
