import { type Provider, Vault } from "@gantry/db";
import {
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  startTestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";

const { api, db, owner } = await startApiTest();

const keys = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY" };
const roleArn = "arn:aws:iam::123456789012:role/gantry";
const send = (provider: object, caller = owner) => caller.post(`/accounts/${owner.accountId}/providers`, { provider });

it("accepts an access key, encrypts it, and never shows it", async () => {
  const { status, text, body } = await send({ type: "aws", name: "main", credentials: keys });
  expect([status, body.request.type, Object.keys(body)]).toEqual([200, "provision_provider", ["request"]]);
  const id = Number(body.request.resource.split("/").at(-1));
  const row = (await db.provider.findUniqueOrThrow({ where: { id } })) as Provider & { credentials: Uint8Array };
  const location = { table: "providers", column: "credentials", id: String(id), account: owner.accountId };
  expect(JSON.parse(await new Vault(api.env.MASTER_KEY).decrypt(row.credentials, location))).toEqual({
    accessKeyId: keys.access_key_id,
    secretAccessKey: keys.secret_access_key,
  });
  const shown = await owner.get(`/providers/${id}`);
  expect(`${text}${shown.text}`).not.toMatch(/AKIA|EXAMPLEKEY/);
});

it("accepts a role, and answers with its external id, also when repeated", async () => {
  const repeat = () => send({ type: "aws", credentials: { role_arn: roleArn } }).set("Idempotency-Key", "role");
  const { body, text } = await repeat();
  expect(body.external_id).toMatch(/^[0-9a-f]{32}$/);
  expect((await repeat()).text).toBe(text);
  expect((await owner.get(`/accounts/${owner.accountId}/external-id`)).body).toEqual({ external_id: body.external_id });
  const other = await createCaller(api);
  expect((await other.get(`/accounts/${other.accountId}/external-id`)).body.external_id).not.toBe(body.external_id);
});

it("shows the permissions boundary that a provider was given, and null without one", async () => {
  const permissions_boundary = "arn:aws:iam::123456789012:policy/gantry-boundary";
  const shown = [];
  for (const boundary of [{ permissions_boundary }, {}]) {
    const { body } = await send({ type: "aws", credentials: { role_arn: roleArn }, ...boundary });
    shown.push((await owner.get(resourcePath(body))).body.provider.permissions_boundary);
  }
  expect(shown).toEqual([permissions_boundary, null]);
});

it.each([
  [
    "a boundary that is no policy",
    { type: "aws", credentials: keys, permissions_boundary: roleArn },
    "provider.permissions_boundary: must be the ARN of an IAM policy",
  ],
  ["another type", { type: "azure", credentials: keys }, "Unknown provider type: azure"],
  ["both kinds", { type: "aws", credentials: { ...keys, role_arn: roleArn } }, /must contain either/],
  ["half a pair", { type: "aws", credentials: { access_key_id: keys.access_key_id } }, /must contain either/],
  [
    "a partition in which Gantry does not work",
    { type: "aws", credentials: { role_arn: roleArn.replace("aws", "aws-iso") } },
    /must be in one of the partitions aws, aws-cn, aws-us-gov/,
  ],
  [
    "the ARN of a user",
    { type: "aws", credentials: { role_arn: "arn:aws:iam::1:user/x" } },
    /must be the ARN of an IAM role/,
  ],
])("refuses %s and writes nothing", async (_name, provider, sentence) => {
  await expectRefusal(db, () => send(provider), sentence);
});

it.each([
  ["us-east-1", { credentials: { role_arn: roleArn } }],
  ["us-east-1", { credentials: keys }],
  ["cn-north-1", { credentials: { role_arn: roleArn.replace("aws", "aws-cn") } }],
  ["us-gov-west-1", { credentials: { role_arn: roleArn.replace("aws", "aws-us-gov") } }],
])("uses %s for account-wide calls to the AWS account of %j", async (homeRegion, provider) => {
  const { body } = await send({ type: "aws", ...provider });
  const id = Number(body.request.resource.split("/").at(-1));
  expect(await db.provider.findUnique({ where: { id } })).toMatchObject({ homeRegion });
});

describe("a change of credentials", () => {
  const replace = (id: number, credentials: object) =>
    owner.put(`/providers/${id}/credentials`, { provider: { credentials } });

  it("is a Request that keeps the new key encrypted, shows it nowhere, and is not accepted twice at once", async () => {
    const { id, credentials } = await createProvider(db, owner.accountId);
    const { status, text, body } = await replace(id, keys);
    expect([status, body.request.type]).toEqual([200, "replace_provider_credentials"]);
    const row = await db.provider.findUniqueOrThrow({ where: { id } });
    const location = { table: "providers", column: "next_credentials", id: String(id), account: owner.accountId };
    const decrypted = await new Vault(api.env.MASTER_KEY).decrypt(row.nextCredentials as Uint8Array, location);
    expect([row.credentials, JSON.parse(decrypted).accessKeyId]).toEqual([credentials, keys.access_key_id]);
    const shown = await Promise.all(
      [`/providers/${id}`, `/requests/${body.request.id}`, `/accounts/${owner.accountId}/audit`].map(
        async (path) => (await owner.get(path)).text,
      ),
    );
    expect([text, ...shown].join()).not.toContain("EXAMPLEKEY");
    const again = await replace(id, keys);
    expect([again.status, again.body.errors]).toEqual([409, [expect.stringContaining("replace_provider_credentials")]]);
  });

  it("is refused for a role of another AWS account, and for a shared or a cancelled provider", async () => {
    const { id, provisionedId } = await createProvider(db, owner.accountId);
    const other = { role_arn: "arn:aws:iam::999999999999:role/gantry" };
    await expectRefusal(
      db,
      () => replace(id, other),
      `provider.credentials.role_arn: is in the AWS account 999999999999; provider ${id} is the AWS account ${provisionedId}`,
    );
    await expectRefusal(db, () => replace(id, {}), /^provider\.credentials: must contain either/);
    await db.provider.update({ where: { id }, data: { shared: true } });
    await expectRefusal(db, () => replace(id, keys), /^provider\.credentials: .*shared with other accounts/);
    await db.provider.update({ where: { id }, data: { shared: false, cancelledAt: new Date() } });
    expect((await replace(id, keys)).status).toBe(409);
  });
});

it("cancels a provider once, and not while it has resources", async () => {
  const provider = await createProvider(db, owner.accountId);
  const network = await createNetwork(db, provider);
  const environment = await createEnvironment(db, provider);
  const held = await owner.delete(`/providers/${provider.id}`);
  expect([held.status, held.body.errors]).toEqual([
    409,
    [`provider ${provider.id} still contains: network ${network.id}, environment ${environment.id}`],
  ]);
  const deletedAt = new Date();
  await db.network.update({ where: { id: network.id }, data: { deletedAt } });
  await db.environment.update({ where: { id: environment.id }, data: { deletedAt } });
  expect((await owner.delete(`/providers/${provider.id}`)).body.request.type).toBe("cancel_provider");
  expect((await owner.delete(`/providers/${provider.id}`)).status).toBe(409);
});

it("discovers all locations or one, and limits regions but not zones", async () => {
  const { id } = await createProvider(db, owner.accountId);
  expect((await owner.put(`/providers/${id}/locations/discover`)).body.request).toMatchObject({
    type: "discover_provider_locations",
    resource: `http://gantry.test/providers/${id}`,
  });
  const { provider_locations: all } = (await owner.get(`/providers/${id}/locations`)).body;
  const region = all.find((location: { location_id: string }) => location.location_id === "us-east-1");
  const zone = all.find((location: { location_id: string }) => location.location_id === "us-east-1a");
  for (const name of [region.id, "us-east-1"]) {
    const { body } = await owner.put(`/providers/${id}/locations/${name}/discover`);
    expect(body.request.resource).toBe(`http://gantry.test/provider-locations/${region.id}`);
  }
  expect((await owner.put(`/providers/${id}/locations/mars-1/discover`)).status).toBe(404);
  const limits = { provider_location: { limits: { servers: 3, addresses: 2 } } };
  expect((await owner.put(`/provider-locations/${region.id}`, limits)).body.provider_location.limits).toEqual({
    servers: 3,
    addresses: 2,
  });
  const lifted = { provider_location: { limits: { servers: null } } };
  expect((await owner.put(`/provider-locations/${region.id}`, lifted)).body.provider_location.limits).toEqual({
    servers: null,
    addresses: 2,
  });
  expect([zone.limits, (await owner.put(`/provider-locations/${zone.id}`, limits)).status]).toEqual([{}, 409]);
  const { provider_locations: zones } = (await owner.get(new URL(region.children).pathname)).body;
  expect(zones.map(({ id }: { id: string }) => id)).toEqual([zone.id]);
});

it("lists the known provider types in addition to the specified message", async () => {
  const provider = { type: "gce", credentials: keys };
  const { body } = await owner.post(`/accounts/${owner.accountId}/providers`, { provider });
  const sentence = "Unknown provider type: gce";
  expect(body.errors).toEqual([sentence]);
  expect(body.details).toEqual([{ path: "provider.type", message: `${sentence}; valid types are aws` }]);
});

it("creates a check of one region or of every enabled region", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const send = (body: object) => owner.post(`/providers/${id}/check`, body);
  const inputs = [];
  for (const body of [{ region: "us-east-1" }, {}]) {
    const { request } = (await send(body)).body;
    expect([request.type, request.resource]).toEqual(["check_provider", `http://gantry.test/providers/${id}`]);
    inputs.push((await db.request.findUniqueOrThrow({ where: { id: request.id } })).input);
  }
  expect(inputs).toEqual([{ regions: ["us-east-1"] }, { regions: ["eu-west-1", "us-east-1"] }]);
  const unknown = await send({ region: "mars-1" });
  expect([unknown.status, unknown.body.errors]).toEqual([
    422,
    [`region: provider ${id} has no region mars-1; use one of eu-west-1, us-east-1`],
  ]);
  await db.providerLocation.updateMany({ where: { providerId: id }, data: { disabledAt: new Date() } });
  expect((await send({})).status).toBe(409);
});

it("shows a check's report, and none for a request of another type", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const { request } = (await owner.post(`/providers/${id}/check`, {})).body;
  const read = async (requestId: string) => (await owner.get(`/requests/${requestId}/checks`)).body;
  expect(await read(request.id)).toEqual({ checks: [] });
  const line = {
    ...{ stage: "identity", check: "external id", region: null, result: "fails", reason: "none is demanded" },
    ...{ remedy: "Demand it", who: "owner" },
  };
  await db.request.update({ where: { id: request.id }, data: { report: { checks: [line] } } });
  expect(await read(request.id)).toEqual({ checks: [line] });
  const { request: other } = (await owner.put(`/providers/${id}/locations/discover`)).body;
  await db.request.update({ where: { id: other.id }, data: { report: { status: "finished", message: null } } });
  expect(await read(other.id)).toEqual({ checks: [] });
});

it("lists a provider's regions before its zones, page by page", async () => {
  const { id } = await createProvider(db, owner.accountId);
  const seen: string[] = [];
  let next: string | undefined = `/providers/${id}/locations?per_page=1`;
  while (next) {
    const { body, headers } = await owner.get(next);
    seen.push(...body.provider_locations.map(({ location_id }: { location_id: string }) => location_id));
    const [, url] = /<([^>]+)>; rel="next"/.exec(headers.link ?? "") ?? [];
    next = url && `${new URL(url).pathname}${new URL(url).search}`;
  }
  const count = await db.providerLocation.count({ where: { providerId: id } });
  expect([seen.length, new Set(seen).size]).toEqual([count, count]);
  const isZone = (name: string) => /[a-z]$/.test(name);
  expect(seen.findIndex(isZone)).toBe(seen.filter((name) => !isZone(name)).length);
});

it("accepts aliases of the key, ignores extra credentials, and shows the given account number until AWS reports it", async () => {
  const credentials = {
    aws_secret_id: keys.access_key_id,
    aws_secret_key: keys.secret_access_key,
    aws_login: "someone@example.com",
    aws_pass: "never kept",
    instance_aws_secret_id: "AKIAIOSFODNN7EXAMPL2",
    instance_aws_secret_key: "never kept either",
  };
  const { status, body } = await owner.post(`/accounts/${owner.accountId}/providers`, {
    account: owner.accountId,
    provider: { type: "aws", provisioned_id: "000111222333", credentials },
  });
  expect([status, body.errors]).toEqual([200, undefined]);
  const id = Number(body.request.resource.split("/").at(-1));
  const { credentials: encrypted } = await db.provider.findUniqueOrThrow({ where: { id } });
  const location = { table: "providers", column: "credentials", id: String(id), account: owner.accountId };
  const decrypted = await new Vault(api.env.MASTER_KEY).decrypt(encrypted as Uint8Array, location);
  expect(JSON.parse(decrypted)).toEqual({ accessKeyId: keys.access_key_id, secretAccessKey: keys.secret_access_key });
  const shown = async () => (await owner.get(`/providers/${id}`)).body.provider.provisioned_id;
  expect(await shown()).toBe("000111222333");
  const { body: refused } = await owner.post("/networks", {
    provider: id,
    network: { cidr: "10.0.0.0/16", location: "us-east-1" },
  });
  expect(refused.errors).toEqual([`provider ${id} is not provisioned yet`]);
  await db.provider.update({ where: { id }, data: { provisionedId: "123456789012" } });
  expect(await shown()).toBe("123456789012");
  const { text } = await owner.get(`/accounts/${owner.accountId}/audit`);
  expect(text).not.toMatch(/never kept|EXAMPLEKEY/);
});

it("accepts keys of any form for an emulator, and for AWS only those of its form", async () => {
  const real = await startTestApi({ AWS_ENDPOINT_URL: "" });
  try {
    const caller = await createCaller(real);
    const add = (from: TestCaller, credentials: object) =>
      from.post(`/accounts/${from.accountId}/providers`, { provider: { type: "aws", credentials } });
    const [short, wrong] = [
      { aws_secret_id: "x", aws_secret_key: "y" },
      { ...keys, secret_access_key: "y" },
    ];
    expect((await add(owner, short)).status).toBe(200);
    for (const [credentials, sentence] of [
      [short, /^provider.credentials.aws_secret_id: must be an access key id/],
      [wrong, /^provider.credentials.secret_access_key: must have at least 16 characters/],
      [
        { ...keys, aws_secret_id: "AKIAIOSFODNN7EXAMPL2" },
        /^provider.credentials.aws_secret_id: differs from access_key_id/,
      ],
    ] as const)
      await expectRefusal(real.db, () => add(caller, credentials), sentence);
  } finally {
    await real.close();
  }
});
