import { Bell, REQUEST_TYPES } from "@gantry/requests";
import { afterAll, beforeAll, expect, it } from "@jest/globals";
import { aws } from "../support/account.js";
import { createCaller, startTestApi, type TestApi, type TestCaller } from "../support/api.js";
import { cloneDatabase, type TestDatabase, testEnv, testLog, until } from "../support/stack.js";
import { startTestWorker, type TestWorker } from "../support/worker.js";
import { isOfType, RECORDS } from "./records.js";

/** The last stage of a finished Request of each type, and what `resource` is, as the specification observes them. */
const ENDINGS: Record<string, { stage: string; resource: "url" | false }> = {
  provision_provider: { stage: "discover-locations", resource: "url" },
  discover_provider_locations: { stage: "discover_locations", resource: "url" },
  discover_provider_location: { stage: "persist", resource: "url" },
  provision_network: { stage: "create", resource: "url" },
  deprovision_network: { stage: "destroy", resource: false },
  provision_subnet: { stage: "create", resource: "url" },
  deprovision_subnet: { stage: "destroy", resource: false },
  provision_iam_role: { stage: "create", resource: "url" },
  deprovision_iam_role: { stage: "destroy", resource: false },
};

type Json = Record<string, unknown>;

let database: TestDatabase;
let api: TestApi;
let worker: TestWorker;
let bell: Bell;
let owner: TestCaller;

beforeAll(async () => {
  database = await cloneDatabase();
  const env = testEnv(database, { SWEEP_SECONDS: "1" });
  bell = new Bell(env.REDIS_URL, env.QUEUE_PREFIX, testLog);
  api = await startTestApi({}, { db: database.db, bell, env: { ...env, RATE_LIMIT_PER_MINUTE: 100_000 } });
  worker = startTestWorker(env);
  owner = await createCaller({ ...api, db: database.db, env });
});
afterAll(async () => {
  await worker.stop();
  await bell.close();
  await api.close();
  await database.drop();
});

it("ends every type in the specified stage, with the specified record, by really running it", async () => {
  const reached = new Set<string>();
  const done = async (answer: { status: number; body: { request: Json } }) => {
    expect([answer.status, answer.body]).toEqual([200, { request: expect.anything() }]);
    const request = await until(async () => {
      const { body } = await owner.get(`/requests/${answer.body.request.id}?wait=5`);
      return body.request.finished_at && body.request;
    });
    check("request", request);
    const { type, stage, resource, successful, message, request_status: status } = request;
    const kind = typeof resource === "string" ? "url" : resource;
    expect({ type, stage, resource: kind, successful, message }).toEqual({
      type,
      ...ENDINGS[type],
      successful: true,
      message: null,
    });
    expect(status).toMatch(new RegExp(`^Finished: [A-Z].* \\(${request.id}\\) \\(.+\\)$`));
    reached.add(type);
    return typeof resource === "string" ? new URL(resource).pathname : "";
  };
  const shown = async (name: string, path: string) => check(name, (await owner.get(path)).body[name]);

  const keys = await aws.createAccount();
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  const provider = await done(
    await owner.post(`/accounts/${owner.accountId}/providers`, { provider: { type: "aws", credentials } }),
  );
  const { id: providerId } = await shown("provider", provider);
  await done(await owner.put(`${provider}/locations/discover`));
  const locations: Json[] = (await owner.get(`${provider}/locations?per_page=100`)).body.provider_locations;
  for (const location of locations) check("provider_location", location);
  const [region] = (await owner.get(`${provider}/locations?location_id=us-east-1`)).body.provider_locations;
  await done(await owner.put(`${provider}/locations/${region.id}/discover`));

  const wanted = { cidr: "10.0.0.0/16", location: "us-east-1", skip_subnets: true };
  const network = await done(await owner.post("/networks", { provider: providerId, network: wanted }));
  const { id: networkId } = await shown("network", network);
  const within = { network: networkId, subnet: { cidr: "10.0.9.0/24", location: "us-east-1a" } };
  const subnet = await done(await owner.post("/subnets", within));
  await shown("subnet", subnet);
  const role = await done(
    await owner.post("/iam_roles", {
      provider: providerId,
      iam_role: { policy: "KubeyPolicy", user_managed_policy: true },
    }),
  );
  await shown("iam_role", role);

  for (const path of [subnet, network, role]) await done(await owner.delete(path));
  expect([...reached].sort()).toEqual(Object.keys(ENDINGS).sort());
  for (const type of reached) expect(REQUEST_TYPES).toContain(type);
}, 60_000);

/** A provider that is provisioned, in an AWS account of its own. */
async function takeProvider() {
  const keys = await aws.createAccount();
  const credentials = { access_key_id: keys.accessKeyId, secret_access_key: keys.secretAccessKey };
  const body = { provider: { type: "aws", credentials } };
  const { request } = (await owner.post(`/accounts/${owner.accountId}/providers`, body)).body;
  const { resource } = await endOf(request.id);
  const network = { cidr: "10.0.0.0/16", location: "us-east-1" };
  return { keys, wanted: { provider: Number(resource.split("/").at(-1)), network } };
}

async function endOf(requestId: string) {
  return until(async () => {
    const { body } = await owner.get(`/requests/${requestId}?wait=5`);
    return body.request.finished_at && body.request;
  }, 30);
}

it("tries a failed Request again when asked, and makes one of everything", async () => {
  const { keys, wanted } = await takeProvider();
  const { accessKeyId } = keys;
  await aws.refuse("CreateSubnet", { code: "SubnetLimitExceeded", times: 1, accessKeyId });
  const first = await endOf((await owner.post("/networks", wanted)).body.request.id);
  expect(first).toMatchObject({ successful: false, message: expect.stringContaining("quota") });
  const path = new URL(first.resource).pathname;
  expect((await owner.get(path)).body.network.deleted_at).not.toBeNull();
  expect((await aws.inventory(keys, { kinds: ["vpc"] })).vpc).toEqual([]);
  const again = await owner.post(`/requests/${first.id}/retry`);
  expect(again.status).toBe(200);
  expect(await endOf(again.body.request.id)).toMatchObject({ successful: true, resource: first.resource });
  expect((await owner.get(path)).body.network.deleted_at).toBeNull();
  const { vpc, subnet } = await aws.inventory(keys, { kinds: ["vpc", "subnet"] });
  expect([vpc.length, subnet.length]).toEqual([1, 6]);
});

it("ends a cancelled Request only when nothing of it is left", async () => {
  const { keys, wanted } = await takeProvider();
  const { accessKeyId } = keys;
  await aws.delay("CreateInternetGateway", 1000, { accessKeyId });
  const { request } = (await owner.post("/networks", wanted)).body;
  await until(async () => (await aws.calls({ accessKeyId, action: "CreateInternetGateway" })).length > 0);
  const cancelled = await owner.post(`/requests/${request.id}/cancel`);
  expect([cancelled.status, cancelled.body.request.finished_at]).toEqual([200, null]);
  const ended = await endOf(request.id);
  expect(ended).toMatchObject({ successful: false, message: "Cancelled" });
  expect(ended.request_status).toBe(`Cancelled: Provision network (${request.id})`);
  const { body } = await owner.get(`/requests/${request.id}/leaked-resources`);
  expect(body).toEqual({ leaked_resources: [] });
  const { vpc, subnet, internet_gateway } = await aws.inventory(keys, { kinds: ["vpc", "subnet", "internet_gateway"] });
  expect([vpc, subnet, internet_gateway]).toEqual([[], [], []]);
});

it("carries a trace from the HTTP input to the Request's calls to AWS", async () => {
  const trace = "0123456789abcdef0123456789abcdef";
  const provider = {
    type: "aws",
    credentials: { access_key_id: "AKIAIOSFODNN7TRACED00", secret_access_key: "x".repeat(40) },
  };
  const answer = await owner
    .post(`/accounts/${owner.accountId}/providers`, { provider })
    .set("traceparent", `00-${trace}-0123456789abcdef-01`);
  expect(answer.headers["x-trace-id"]).toBe(trace);
  const calls = await until(async () => {
    const seen = await aws.calls({ accessKeyId: "AKIAIOSFODNN7TRACED00", action: "GetCallerIdentity" });
    return seen.length > 0 && seen;
  });
  expect(calls[0]?.trace).toContain(trace);
});

it("says in a failed Request what went wrong, and only there", async () => {
  const { body } = await owner.post(`/accounts/${owner.accountId}/providers`, {
    provider: {
      type: "aws",
      credentials: { access_key_id: "AKIAIOSFODNN7NOTTHERE", secret_access_key: "x".repeat(40) },
    },
  });
  await aws.refuse("GetCallerIdentity", {
    code: "InvalidClientTokenId",
    status: 403,
    message: "The security token arn:aws:iam::1:user/x is invalid",
    accessKeyId: "AKIAIOSFODNN7NOTTHERE",
  });
  const request = await until(async () => {
    const answer = await owner.get(`/requests/${body.request.id}?wait=5`);
    return answer.body.request.finished_at && answer.body.request;
  });
  check("request", request);
  const message = "AWS does not accept the provider's credentials";
  expect(request).toMatchObject({
    successful: false,
    message,
    request_status: `Failed: Provision provider (${request.id}). Error: ${message}`,
    stage: "verify-credentials",
  });
});

/** Every field of the specification with its type, and no other. */
function check(name: string, record: Json): Json {
  const fields = RECORDS[name] ?? {};
  expect(Object.keys(record).sort()).toEqual(Object.keys(fields).sort());
  const wrong = Object.entries(fields).filter(([field, type]) => !isOfType(record[field], type));
  expect(wrong.map(([field, type]) => `${field} should be ${type}: ${JSON.stringify(record[field])}`)).toEqual([]);
  return record;
}
