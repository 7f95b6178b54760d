import { DeleteVolumeCommand } from "@aws-sdk/client-ec2";
import { awsOpener } from "@gantry/worker";
import { aws } from "../support/account.js";
import { type LiveGantry, startLiveGantry } from "../support/live.js";
import { until } from "../support/until.js";

let gantry: LiveGantry;
let owner: LiveGantry["owner"];

beforeAll(async () => {
  gantry = await startLiveGantry();
  owner = gantry.owner;
});
afterAll(() => gantry.close());

/** The input of a network in its own AWS account. */
async function createProvider() {
  const { keys, providerId } = await gantry.addProvider();
  return { keys, attributes: { provider: providerId, network: { cidr: "10.0.0.0/16", location: "us-east-1" } } };
}

it("retries a failed Request, and creates each object once", async () => {
  const { keys, attributes } = await createProvider();
  const { accessKeyId } = keys;
  await aws.refuse("CreateSubnet", { code: "SubnetLimitExceeded", accessKeyId });
  const first = await gantry.ended(await owner.post("/networks", attributes));
  expect(first).toMatchObject({ successful: false, message: expect.stringContaining("quota") });
  const path = new URL(first.resource).pathname;
  expect((await owner.get(path)).body.network.deleted_at).not.toBeNull();
  expect((await aws.inventory(keys, { kinds: ["vpc"] })).vpc).toEqual([]);
  await aws.clear({ accessKeyId });
  const again = await owner.post(`/requests/${first.id}/retry`);
  expect((await gantry.done(again)).resource).toBe(first.resource);
  expect((await owner.get(path)).body.network.deleted_at).toBeNull();
  const { vpc, subnet } = await aws.inventory(keys, { kinds: ["vpc", "subnet"] });
  expect([vpc.length, subnet.length]).toEqual([1, 6]);
});

it("ends a cancelled Request only after the removal of all its objects", async () => {
  const { keys, attributes } = await createProvider();
  const { accessKeyId } = keys;
  await aws.delay("CreateInternetGateway", 1000, { accessKeyId });
  const answer = await owner.post("/networks", attributes);
  const { request } = answer.body;
  await until(async () => (await aws.calls({ accessKeyId, action: "CreateInternetGateway" })).length > 0);
  const cancelled = await owner.post(`/requests/${request.id}/cancel`);
  expect([cancelled.status, cancelled.body.request.finished_at]).toEqual([200, null]);
  const ended = await gantry.ended(answer);
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
    const found = await aws.calls({ accessKeyId: "AKIAIOSFODNN7TRACED00", action: "GetCallerIdentity" });
    return found.length > 0 && found;
  });
  expect(calls[0]?.trace).toContain(trace);
});

it("explains a failure only in the failed Request", async () => {
  await aws.refuse("GetCallerIdentity", {
    code: "InvalidClientTokenId",
    status: 403,
    message: "The security token arn:aws:iam::1:user/x is invalid",
    accessKeyId: "AKIAIOSFODNN7NOTTHERE",
  });
  const answer = await owner.post(`/accounts/${owner.accountId}/providers`, {
    provider: {
      type: "aws",
      credentials: { access_key_id: "AKIAIOSFODNN7NOTTHERE", secret_access_key: "x".repeat(40) },
    },
  });
  const request = await gantry.ended(answer);
  const message = "AWS does not accept the provider's credentials, or the AWS account has not enabled this region";
  expect(request).toMatchObject({
    successful: false,
    message,
    request_status: `Failed: Provision provider (${request.id}). Error: ${message}`,
    stage: "verify-credentials",
  });
});

it("finds in a scan that a user asks for what was removed in AWS a moment after its creation", async () => {
  const { keys, attributes } = await createProvider();
  const volume = { size: 4, location: "us-east-1a" };
  const made = await gantry.done(await owner.post("/volumes", { provider: attributes.provider, volume }));
  const { provisioned_id: VolumeId } = (await owner.get(new URL(made.resource).pathname)).body.volume;
  await awsOpener(10)("us-east-1", keys).ec2.send(new DeleteVolumeCommand({ VolumeId }));
  // Of the regions of all providers, the scan needs one.
  const isOther = { OR: [{ providerId: { not: attributes.provider } }, { locationId: { not: "us-east-1" } }] };
  const where = { ...isOther, accountId: owner.accountId, parentId: null };
  await gantry.api.db.providerLocation.updateMany({ where, data: { disabledAt: new Date() } });
  await gantry.done(await owner.post(`/accounts/${owner.accountId}/drift/scan`));
  const { drift, places } = (await owner.get(`/accounts/${owner.accountId}/drift`)).body;
  expect(drift).toMatchObject([{ finding: "disappeared", kind: "volume", provisioned_id: VolumeId }]);
  expect(places.some(({ last_looked_at }: { last_looked_at: string | null }) => last_looked_at)).toBe(true);
});
