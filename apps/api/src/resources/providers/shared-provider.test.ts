import { randomUUID } from "node:crypto";
import type { Provider } from "@gantry/db";
import {
  createCaller,
  createEnvironment,
  createNetwork,
  createProvider,
  createSubnet,
  REGION,
  type TestCaller,
  ZONE,
} from "@gantry/test/support/api";
import { endRequest, expectRefusal, resourcePath, startApiTest } from "@gantry/test/support/api-test";
import { z } from "zod";
import { endpoints } from "../index.js";

const { api, db } = await startApiTest();
let owner: TestCaller;
let provider: Provider;
beforeEach(async () => {
  api.env.SHARED_PROVIDER = "allowed";
  owner = await createCaller(api);
  const { id } = await createProvider(db, owner.accountId);
  provider = await db.provider.update({ where: { id }, data: { shared: true } });
});

const add = (input: object) =>
  owner.post(`/accounts/${owner.accountId}/providers`, { provider: { type: "aws", ...input } });
const boundary = "arn:aws:iam::123456789012:policy/boundary";
const roleArn = "arn:aws:iam::123456789012:role/gantry";

it.each([
  ["absent", {}],
  ["null", { credentials: null }],
])("shares the AWS account of the workers for credentials that are %s", async (_name, input) => {
  const { status, body } = await add({ name: "ours", provisioned_id: "000111222333", ...input });
  expect([status, body.request.type]).toEqual([200, "provision_shared_provider"]);
  const { provider: shown } = (await owner.get(resourcePath(body))).body;
  expect(shown).toMatchObject({ shared: true, name: "ours", provisioned_id: "000111222333" });
  const row = await db.provider.findUniqueOrThrow({ where: { id: shown.id } });
  expect(row).toMatchObject({ credentials: null, roleArn: null, provisionedId: null, homeRegion: "us-east-1" });
});

const NOT_ALLOWED =
  "provider.credentials: must contain either role_arn, or access_key_id and secret_access_key. Without credentials, the provider would share Gantry's own AWS account; Gantry's operator can allow this with SHARED_PROVIDER=allowed";

const EMPTY = [
  {},
  { role_arn: "" },
  { role_arn: null },
  { aws_secret_id: null, aws_secret_key: "", role_arn: "" },
  { access_key_id: "  ", secret_access_key: "\t" },
  { access_key_id: "", secret_access_key: "" },
];

it.each(EMPTY)(
  "refuses the empty credentials %j although the operator allows shared providers",
  async (credentials) => {
    const sentence =
      "provider.credentials: must contain either role_arn, or access_key_id and secret_access_key; found no value";
    await expectRefusal(db, () => add({ credentials }), sentence);
  },
);

it.each([{}, { credentials: null }])("refuses %j unless the operator allows it, and writes nothing", async (input) => {
  api.env.SHARED_PROVIDER = "refused";
  await expectRefusal(db, () => add(input), NOT_ALLOWED);
  expect((await add(input)).body.details).toMatchObject([{ path: "provider.credentials" }]);
});

it("refuses half a key pair, also if shared providers are allowed", async () => {
  await expectRefusal(
    db,
    () => add({ credentials: { access_key_id: "AKIAIOSFODNN7EXAMPLE" } }),
    /found only access_key_id$/,
  );
});

it("retries the provision only as long as the operator allows it", async () => {
  const { body } = await add({});
  await endRequest(db, body.request.id, false);
  await db.provider.update({
    where: { id: Number(resourcePath(body).split("/").at(-1)) },
    data: { deletedAt: new Date() },
  });
  const retry = () => owner.post(`/requests/${body.request.id}/retry`);
  api.env.SHARED_PROVIDER = "refused";
  await expectRefusal(db, retry, NOT_ALLOWED);
  api.env.SHARED_PROVIDER = "allowed";
  expect((await retry()).body.request.type).toBe("provision_shared_provider");
});

it("never changes whether a provider is shared", async () => {
  const own = await createProvider(db, owner.accountId);
  for (const { id } of [own, provider])
    for (const change of [{ credentials: { role_arn: roleArn } }, { credentials: {} }, { shared: id === own.id }])
      expect((await owner.put(`/providers/${id}`, { provider: change })).body.code).toBe("unpermitted");
  expect((await owner.put(`/providers/${provider.id}`, { provider: { name: "x" } })).body.provider).toMatchObject({
    name: "x",
    shared: true,
  });
});

it("cancels a shared provider once it is provisioned", async () => {
  const { body } = await add({});
  expect((await owner.delete(resourcePath(body))).status).toBe(409);
  await endRequest(db, body.request.id);
  expect((await owner.delete(resourcePath(body))).body.request.type).toBe("cancel_provider");
});

const SHARED = (id: number) => `because provider ${id} is shared with other accounts`;
const OWN = "use a provider with credentials for your own AWS account";
const NETWORK = "create a network with POST /networks and use it";
const databaseServer = { engine: "postgres", version: "9.6.3", flavor: "db.m3.medium", location: ZONE, storage: 100 };
const server = { role: "app_master", flavor: "m3.medium" };

/** An environment that is older than the account's first provider, which is shared. */
const earlyEnvironment = () => createEnvironment(db, provider, { providerId: null });
const placedEnvironment = () => createEnvironment(db, provider);

async function failedRetry(route: string, body: object) {
  await db.provider.update({ where: { id: provider.id }, data: { shared: false } });
  const { body: created } = await owner.post(route, body);
  await endRequest(db, created.request.id, false);
  await db.provider.update({ where: { id: provider.id }, data: { shared: true } });
  return owner.post(`/requests/${created.request.id}/retry`);
}

interface Refusal {
  route: string;
  case?: string;
  send: () => PromiseLike<Awaited<ReturnType<TestCaller["get"]>>>;
  status: 409 | 422;
  path: string;
  /** What is refused. */
  what: RegExp | string;
  instead?: string;
}

/** Every way to ask a shared provider for what is not Gantry's own work for the account. */
const REFUSED: Refusal[] = [
  {
    route: "POST /accounts/:account/providers",
    send: () => add({ permissions_boundary: boundary }),
    status: 422,
    path: "provider.permissions_boundary",
    what: "a boundary of roles is not allowed, because a provider without credentials is shared with other accounts",
  },
  {
    route: "PUT /providers/:provider/credentials",
    send: () =>
      owner.put(`/providers/${provider.id}/credentials`, {
        provider: { credentials: { access_key_id: "AKIAIOSFODNN7EXAMPLE", secret_access_key: "x".repeat(40) } },
      }),
    status: 422,
    path: "provider.credentials",
    what: "a change of credentials is not allowed",
  },
  {
    route: "PUT /providers/:provider",
    send: () => owner.put(`/providers/${provider.id}`, { provider: { permissions_boundary: boundary } }),
    status: 422,
    path: "provider.permissions_boundary",
    what: "a boundary of roles",
  },
  ...[
    {},
    { policy: "KubeyPolicy" },
    { policy: "EFSBackupPolicy", user_managed_policy: true },
    { policy_arn: "arn:aws:iam::aws:policy/AmazonS3ReadOnlyAccess" },
  ].map(
    (role): Refusal => ({
      route: "POST /iam_roles",
      case: JSON.stringify(role),
      send: () => owner.post("/iam_roles", { provider: provider.id, iam_role: role }),
      status: 422,
      path: "provider",
      what: "an IAM role",
    }),
  ),
  {
    route: "POST /iam_roles/:role_id/modify",
    send: async () => {
      const { id: providerId, accountId } = provider;
      const made = { id: randomUUID(), name: "r", arn: "arn:aws:iam::1:role/r", provisionedId: "AROA1" };
      const { id } = await db.iamRole.create({
        data: { ...made, accountId, providerId, assumeRolePolicyDocument: {} },
      });
      return owner.post(`/iam_roles/${id}/modify`, { iam_role: { policy: "KubeyPolicy" } });
    },
    status: 422,
    path: "provider",
    what: "an IAM role",
  },
  {
    route: "POST /requests/:request/retry",
    case: "of provision_iam_role",
    send: () => failedRetry("/iam_roles", { provider: provider.id }),
    status: 422,
    path: "provider",
    what: "an IAM role",
  },
  ...[true, false].map(
    (isNamed): Refusal => ({
      route: "POST /accounts/:account/environments",
      case: isNamed ? "in a named provider" : "in the account's only provider",
      send: () =>
        owner.post(`/accounts/${owner.accountId}/environments`, {
          environment: { name: "shop", region: REGION },
          ...(isNamed && { provider: provider.id }),
        }),
      status: 422,
      path: "network",
      what: "an environment outside a network",
      instead: NETWORK,
    }),
  ),
  ...[earlyEnvironment, placedEnvironment].flatMap((make): Refusal[] => [
    {
      route: "POST /servers",
      case: make.name,
      send: async () => owner.post("/servers", { environment: (await make()).id, server }),
      status: 409,
      path: "environment",
      what: /^environment \d+ outside a network/,
      instead: NETWORK,
    },
    {
      route: "POST /environments/:environment/boot",
      case: make.name,
      send: async () =>
        owner.post(`/environments/${(await make()).id}/boot`, {
          cluster_configuration: { configuration: { type: "solo" } },
        }),
      status: 409,
      path: "",
      what: /^environment \d+ outside a network/,
      instead: NETWORK,
    },
  ]),
  {
    route: "POST /database-services",
    send: () => owner.post("/database-services", { provider: provider.id, database_server: databaseServer }),
    status: 422,
    path: "network",
    what: "a database outside a network",
    instead: NETWORK,
  },
  {
    route: "POST /requests/:request/retry",
    case: "of provision_database_service",
    send: () => failedRetry("/database-services", { provider: provider.id, database_server: databaseServer }),
    status: 422,
    path: "network",
    what: "a database outside a network",
    instead: NETWORK,
  },
];

describe("a shared provider", () => {
  it.each(REFUSED.map((each) => ({ ...each, name: `${each.route} ${each.case ?? ""}` })))(
    "refuses $name",
    async ({ send, status, path, what, instead = OWN }) => {
      const { status: answered, body } = await send();
      expect([answered, body.details?.map((each: { path: string }) => each.path)]).toEqual([status, [path]]);
      const [{ message }] = body.details;
      if (typeof what !== "string") expect(message).toMatch(what);
      else expect(message).toContain(what);
      if (!message.includes("a provider without credentials")) {
        expect(message).toContain(`is not allowed, ${SHARED(provider.id)}; ${instead}`);
      }
      expect(body.request).toBeUndefined();
    },
  );

  it("accepts what Gantry creates for the account itself", async () => {
    const network = await createNetwork(db, provider);
    await createSubnet(db, network);
    const of = { provider: provider.id };
    const place = { network: network.id, environment: { name: "placed" } };
    const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, place);
    const answers = [
      await owner.post("/networks", { ...of, network: { cidr: "10.1.0.0/16", location: REGION } }),
      await owner.post("/addresses", { ...of, address: { location: REGION } }),
      await owner.post("/volumes", { ...of, volume: { location: ZONE, size: 5 } }),
      await owner.post("/servers", { environment: body.environment.id, server }),
      await owner.put(`/providers/${provider.id}`, { provider: { permissions_boundary: null } }),
    ];
    expect(answers.map(({ status, body: { errors } }) => [status, errors])).toEqual(
      answers.map(() => [200, undefined]),
    );
  });

  it("is not chosen for an environment outside a network if the account has its own AWS account", async () => {
    const own = await createProvider(db, owner.accountId);
    const { body } = await owner.post(`/accounts/${owner.accountId}/environments`, { environment: { name: "shop" } });
    const { providerId } = await db.environment.findUniqueOrThrow({ where: { id: body.environment.id } });
    expect(providerId).toBe(own.id);
  });

  it("lists nothing that Gantry does not manage", async () => {
    for (const part of ["untracked_servers", "storages"])
      expect((await owner.get(`/providers/${provider.id}/${part}`)).body).toEqual({ [part]: [] });
  });
});

/** Endpoints that work in a provider by its id, or on objects that are named by their AWS id, and what keeps them apart. */
const APART: Record<string, string> = {
  "POST /networks": "makes a VPC",
  "POST /addresses": "allocates an address",
  "POST /volumes": "makes a volume, or restores a snapshot of the account by its id in Gantry",
  "POST /providers/:provider/check": "reports, and names no object",
  "PUT /providers/:provider/locations/discover": "reads regions",
  "PUT /providers/:provider/locations/:location/discover": "reads zones and offers",
  "DELETE /providers/:provider": "changes nothing in AWS",
};

/** Parameters by which a caller could name an object in AWS, or what is done in a provider. */
const REACHING = /^provider$|arn$|boundary|provisioned_id|vpc|(^|_)ami(_|$)|image/;

it("covers each endpoint that works in a provider or accepts the name of an object in AWS", () => {
  const concerned = endpoints.filter(({ method, route, body }) => {
    if (method === "GET" || method === "PATCH") return false;
    const inBody = body ? propertiesOf(z.toJSONSchema(body, { io: "input", unrepresentable: "any" })) : [];
    return route.includes("/:provider") || inBody.some((name) => REACHING.test(name));
  });
  const known = new Set([...Object.keys(APART), ...REFUSED.map(({ route }) => route)]);
  const unknown = concerned.map(({ route }) => route).filter((route) => !known.has(route));
  expect(unknown.filter((route) => !route.includes("/provider-locations"))).toEqual([]);
  for (const route of Object.keys(APART)) expect(endpoints.map((each) => each.route)).toContain(route);
});

function propertiesOf(schema: unknown): string[] {
  if (typeof schema !== "object" || schema === null) return [];
  const own = "properties" in schema ? Object.keys(schema.properties as object) : [];
  return [...own, ...Object.values(schema).flatMap(propertiesOf)];
}
