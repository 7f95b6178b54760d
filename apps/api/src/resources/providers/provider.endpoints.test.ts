import { type Provider, Vault } from "@gantry/db";
import {
  countRows,
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  startTestApi,
  type TestApi,
  type TestCaller,
} from "@gantry/test/support/api";
import { afterAll, beforeAll, expect, it } from "@jest/globals";

let api: TestApi;
let owner: TestCaller;

beforeAll(async () => {
  api = await startTestApi();
  owner = await createCaller(api);
});
afterAll(() => api.close());

const keys = { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY" };
const roleArn = "arn:aws:iam::123456789012:role/gantry";
const ask = (provider: object, caller = owner) => caller.post(`/accounts/${owner.accountId}/providers`, { provider });

it("takes a key pair, seals it, and shows it nowhere", async () => {
  const { status, text, body } = await ask({ type: "aws", name: "main", credentials: keys });
  expect([status, body.request.type, Object.keys(body)]).toEqual([200, "provision_provider", ["request"]]);
  const id = Number(body.request.resource.split("/").at(-1));
  const row = (await api.db.provider.findUniqueOrThrow({ where: { id } })) as Provider & { credentials: Uint8Array };
  const place = { table: "providers", column: "credentials", id: String(id), account: owner.accountId };
  expect(JSON.parse(await new Vault(api.env.MASTER_KEY).open(row.credentials, place))).toEqual({
    accessKeyId: keys.access_key_id,
    secretAccessKey: keys.secret_access_key,
  });
  const shown = await owner.get(`/providers/${id}`);
  expect(`${text}${shown.text}`).not.toMatch(/AKIA|EXAMPLEKEY/);
});

it("takes a role and says the external id, which is known before, and again when repeated", async () => {
  const repeat = () => ask({ type: "aws", credentials: { role_arn: roleArn } }).set("Idempotency-Key", "role");
  const { body, text } = await repeat();
  expect(body.external_id).toMatch(/^[0-9a-f]{32}$/);
  expect((await repeat()).text).toBe(text);
  expect((await owner.get(`/accounts/${owner.accountId}/external-id`)).body).toEqual({ external_id: body.external_id });
  const stranger = await createCaller(api);
  expect((await stranger.get(`/accounts/${stranger.accountId}/external-id`)).body.external_id).not.toBe(
    body.external_id,
  );
});

it.each([
  ["another type", { type: "azure", credentials: keys }, "Unknown provider type: azure"],
  ["no credentials", { type: "aws" }, "param is missing or the value is empty: provider.credentials"],
  ["both kinds", { type: "aws", credentials: { ...keys, role_arn: roleArn } }, /must hold either/],
  ["half a pair", { type: "aws", credentials: { access_key_id: keys.access_key_id } }, /must hold either/],
  [
    "what is no role",
    { type: "aws", credentials: { role_arn: "arn:aws:iam::1:user/x" } },
    /must be the ARN of an IAM role/,
  ],
])("refuses %s and makes nothing", async (_name, provider, sentence) => {
  const before = await countRows(api.db);
  const { status, body } = await ask(provider);
  expect([status, body.errors]).toEqual([
    422,
    [typeof sentence === "string" ? sentence : expect.stringMatching(sentence)],
  ]);
  expect(await countRows(api.db)).toEqual(before);
});

it("is for owners and admins with the scope admin", async () => {
  const member = await createCaller(api, { accountId: owner.accountId, role: "member" });
  const narrow = await createCaller(api, { accountId: owner.accountId, scopes: ["read", "write"] });
  const admin = await createCaller(api, { accountId: owner.accountId, role: "admin" });
  const stranger = await createCaller(api);
  const wanted = { type: "aws", credentials: keys };
  const statuses = [];
  for (const caller of [member, narrow, admin, stranger]) statuses.push((await ask(wanted, caller)).status);
  expect(statuses).toEqual([403, 403, 200, 404]);
});

it("is not cancelled while it holds something, and once when it is empty", async () => {
  const provider = await createProvider(api.db, owner.accountId);
  const network = await createNetwork(api.db, provider);
  const environment = await createEnvironment(api.db, provider);
  const held = await owner.delete(`/providers/${provider.id}`);
  expect([held.status, held.body.errors]).toEqual([
    409,
    [`the provider ${provider.id} still holds: network ${network.id}, environment ${environment.id}`],
  ]);
  const deletedAt = new Date();
  await api.db.network.update({ where: { id: network.id }, data: { deletedAt } });
  await api.db.environment.update({ where: { id: environment.id }, data: { deletedAt } });
  expect((await owner.delete(`/providers/${provider.id}`)).body.request.type).toBe("cancel_provider");
  expect((await owner.delete(`/providers/${provider.id}`)).status).toBe(409);
});

it("discovers its locations, all or one, and limits a region but no zone", async () => {
  const { id } = await createProvider(api.db, owner.accountId);
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
  expect([zone.limits, (await owner.put(`/provider-locations/${zone.id}`, limits)).status]).toEqual([{}, 409]);
  const { provider_locations: zones } = (await owner.get(new URL(region.children).pathname)).body;
  expect(zones.map(({ id }: { id: string }) => id)).toEqual([zone.id]);
});
