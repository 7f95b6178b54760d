import { aws, createTestAccount, REGION, type TestAccount } from "@gantry/test/support/account";
import { testAwsEngine } from "@gantry/test/support/aws-engine";
import { runAllToEnd } from "@gantry/test/support/engine";
import { cloneDatabase, type TestDatabase, testEnv } from "@gantry/test/support/stack";
import { open, openIamRole, openNetwork } from "@gantry/test/support/work";
import { afterAll, beforeAll, beforeEach, expect, it } from "@jest/globals";
import type { Aws } from "../aws/clients.js";
import { awsOpener } from "../aws/clients.js";
import { role } from "../aws/iam/role.js";
import type { Engine } from "../engine/engine.js";

let database: TestDatabase;
let env: ReturnType<typeof testEnv>;
let engine: Engine<Aws>;
let customer: TestAccount;
let accessKeyId: string;

beforeAll(async () => {
  database = await cloneDatabase();
  env = testEnv(database);
  engine = testAwsEngine(database, env);
});
beforeEach(async () => {
  customer = await createTestAccount(database.db, env);
  accessKeyId = customer.awsAccount.accessKeyId;
});
afterAll(() => database.drop());

async function outcome(requestId: string) {
  await runAllToEnd(engine, customer.accountId);
  return database.db.request.findUniqueOrThrow({ where: { id: requestId } });
}

const inventory = (...kinds: ("vpc" | "subnet" | "role" | "policy" | "instance_profile")[]) =>
  aws.inventory(customer.awsAccount, { kinds });

it("leaves a foreign role of the same name alone, and tells why it failed", async () => {
  const { requestId } = await openIamRole(database.db, customer, { userManagedPolicy: true });
  const name = `role-${customer.accountId.slice(0, 8)}`;
  const trustPolicy = { Version: "2012-10-17", Statement: [] };
  const theirs = awsOpener(10)(REGION, customer.awsAccount);
  await role.create(theirs, { token: "theirs", tags: {}, params: { name, path: "/", trustPolicy } });
  const request = await outcome(requestId);
  expect(request).toMatchObject({
    successful: false,
    message: "An object of this name already exists in the AWS account and does not belong to this record",
    leakedResources: [],
  });
  const { role: roles, policy, instance_profile } = await inventory("role", "policy", "instance_profile");
  expect([roles.map(({ id }) => id), policy, instance_profile]).toEqual([[name], [], []]);
});

it.each([
  ["throttles", { code: "RequestLimitExceeded", status: 503 }],
  ["meets an internal error", { code: "InternalError", status: 500 }],
])("creates one of everything although AWS %s for a while", async (_name, failure) => {
  await aws.refuse("*", { ...failure, times: 8, accessKeyId });
  const { requestId } = await openNetwork(database.db, customer);
  expect(await outcome(requestId)).toMatchObject({ successful: true, message: null });
  const { vpc, subnet } = await inventory("vpc", "subnet");
  expect([vpc.length, subnet.length]).toEqual([1, 2]);
});

it("explains an exhausted quota, and removes what it created before", async () => {
  await aws.refuse("CreateInternetGateway", { code: "InternetGatewayLimitExceeded", accessKeyId });
  const { requestId, networkId } = await openNetwork(database.db, customer);
  const request = await outcome(requestId);
  expect(request.message).toBe("A quota of the AWS account is used up; raise it with AWS or remove what is not needed");
  const { vpc, subnet } = await inventory("vpc", "subnet");
  expect([vpc, subnet]).toEqual([[], []]);
  expect((await database.db.network.findUniqueOrThrow({ where: { id: networkId } })).deletedAt).not.toBeNull();
});

it("keeps a record whose removal failed, and completes the removal when it is asked for again", async () => {
  const { requestId, networkId } = await openNetwork(database.db, customer, { skipSubnets: true });
  await outcome(requestId);
  await aws.refuse("DeleteVpc", { code: "UnauthorizedOperation", times: 1, accessKeyId });
  const resource = { type: "network", id: networkId } as const;
  const first = await outcome(await open(database.db, customer, "deprovision_network", resource, {}));
  expect(first.successful).toBe(false);
  expect((await database.db.network.findUniqueOrThrow({ where: { id: networkId } })).deletedAt).toBeNull();
  const second = await outcome(await open(database.db, customer, "deprovision_network", resource, {}));
  expect(second).toMatchObject({ successful: true, stage: "destroy" });
  expect((await inventory("vpc")).vpc).toEqual([]);
});

it("refuses to work with another account's provider", async () => {
  const other = await createTestAccount(database.db, env, customer.awsAccount);
  await expect(engine.connect({ providerId: other.provider.id, region: REGION }, customer.accountId)).rejects.toThrow(
    "The provider does not belong to this account",
  );
});

it("does not cancel a provider that has resources by then", async () => {
  const resource = { type: "provider", id: customer.provider.id } as const;
  const { requestId } = await openNetwork(database.db, customer, { skipSubnets: true });
  await outcome(requestId);
  const request = await outcome(await open(database.db, customer, "cancel_provider", resource, {}));
  expect(request.message).toBe("The provider has resources by now; remove them first");
  const provider = await database.db.provider.findUniqueOrThrow({ where: { id: customer.provider.id } });
  expect([provider.cancelledAt, provider.credentials === null]).toEqual([null, false]);
});
